// The bodies of Asio and Beast, compiled once for every program or plugin that links this library.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
