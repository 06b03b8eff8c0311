#pragma once

#include "ask/gathering.h"
#include "ask/task.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

namespace quarry::ask {

/// `T value = co_await await_one<T>(start)` starts an operation with start(done) and resumes the
/// coroutine on its own executor once the operation calls `done(value)`, once, on any thread.
/// `await_one<>` waits for a plain `done()`.
template <class... T, class Start>
auto await_one(Start start) {
  namespace asio = boost::asio;
  auto initiate = [](auto handler, Start begin) {
    const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
    begin([waiting](T... value) {
      asio::post(asio::get_associated_executor(*waiting),
                 [waiting, ... value = std::move(value)]() mutable {
                   std::move (*waiting)(std::move(value)...);
                 });
    });
  };
  return asio::async_initiate<const asio::deferred_t, void(T...)>(std::move(initiate),
                                                                  asio::deferred, std::move(start));
}

/// await_one for `count` operations, each started by start(i, done); returns the values in the
/// order of i.
template <class T, class Start>
Task<std::vector<T>> await_all(std::size_t count, Start& start) {
  if (count == 0) co_return std::vector<T>();
  co_return co_await await_one<std::vector<T>>([count, &start](auto done) {
    const auto gathering = std::make_shared<Gathering<T>>(count, std::move(done));
    for (std::size_t i = 0; i < count; ++i) {
      start(i, [gathering, i](T value) { gathering->put(i, std::move(value)); });
    }
  });
}

}  // namespace quarry::ask
