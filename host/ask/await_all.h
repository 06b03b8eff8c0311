#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace quarry::ask {

/// Starts `count` pieces of work with start(i, done) and resumes the coroutine on its own executor
/// when each has called its `done(value)`, once, on any thread. The values are in order of i.
/// `start` must live as long as the wait.
template <class T, class Start>
boost::asio::awaitable<std::vector<T>> await_all(std::size_t count, Start& start) {
  namespace asio = boost::asio;
  struct State {
    std::vector<T> values;
    std::atomic<std::size_t> left;
    std::function<void()> resume;
  };
  const auto state = std::make_shared<State>();
  state->values.resize(count);
  state->left = count;
  if (count == 0) co_return std::vector<T>();
  const auto executor = co_await asio::this_coro::executor;
  auto initiate = [state, executor, &start, count](auto handler) {
    const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    state->resume = [shared, executor] {
      asio::post(executor, [shared] { std::move (*shared)(); });
    };
    for (std::size_t i = 0; i < count; ++i) {
      start(i, [state, i](T value) {
        state->values[i] = std::move(value);
        if (--state->left > 0) return;
        const auto resume = std::exchange(state->resume, nullptr);
        resume();
      });
    }
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(std::move(initiate),
                                                                        asio::use_awaitable);
  co_return std::move(state->values);
}

}  // namespace quarry::ask
