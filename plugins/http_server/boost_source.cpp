// The sources of Asio and Beast, compiled once for all that link this library.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
