// The bodies of Boost.Asio, once for the whole host.
#include <boost/asio/impl/src.hpp>
