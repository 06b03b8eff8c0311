// Definitions of Boost.Asio, compiled once for the whole host.
#include <boost/asio/impl/src.hpp>
