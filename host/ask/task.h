#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::ask {

/// A coroutine of a question, on the I/O thread of its services. Its executor has a type of its
/// own, which is smaller in every frame than any executor.
template <class T>
using Task = boost::asio::awaitable<T, boost::asio::io_context::executor_type>;

}  // namespace quarry::ask
