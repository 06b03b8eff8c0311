#include "responder.h"

#include "connection.h"

#include <utility>

namespace quarry::http_server {

Responder::Responder(std::shared_ptr<Connection> connection, std::uint64_t request)
    : connection_(std::move(connection)), request_(request) {}

void Responder::send(Response response) const {
  Loop& loop = connection_->loop();
  if (loop.runs_here()) return connection_->send(request_, response);
  loop.post([connection = connection_, request = request_, response = std::move(response)] {
    connection->send(request, response);
  });
}

void Responder::post(std::function<void()> job) const {
  connection_->loop().post(std::move(job));
}

void Responder::dispatch(std::function<void()> job) const {
  connection_->loop().dispatch(std::move(job));
}

void Responder::on_closed(std::function<void()> callback) const {
  connection_->on_closed(request_, std::move(callback));
}

void Responder::after(std::chrono::milliseconds delay, std::function<void()> callback) const {
  connection_->after(request_, delay, std::move(callback));
}

void Responder::start_stream(const Response& head) const {
  connection_->start_stream(request_, head);
}

void Responder::write(std::string_view bytes) const {
  connection_->write(request_, bytes);
}

std::size_t Responder::unsent() const {
  return connection_->unsent();
}

void Responder::on_drained(std::function<void()> callback) const {
  connection_->on_drained(request_, std::move(callback));
}

void Responder::end_stream() const {
  connection_->end_stream(request_);
}

bool Responder::over() const {
  return connection_->over(request_);
}

}  // namespace quarry::http_server
