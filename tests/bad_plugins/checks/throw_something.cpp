// Of the plugin that throws out of a C function.
extern "C" void throw_something();
extern "C" void throw_something() {
  throw 7;
}
