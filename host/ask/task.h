#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::ask {

/// A coroutine of a question, on the I/O thread of its services. Its concrete executor type takes
/// less space in every frame than asio::any_io_executor.
template <class T>
using Task = boost::asio::awaitable<T, boost::asio::io_context::executor_type>;

}  // namespace quarry::ask
