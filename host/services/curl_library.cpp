#include "services/curl_library.h"

#include <dlfcn.h>
#include <string>

namespace quarry::services {
namespace {

Error unusable(const std::string& why) {
  return {Code::kUnavailable, "the HTTP client cannot be loaded: " + why,
          "install libcurl 7.85 or newer (Debian: libcurl4)"};
}

}  // namespace

Result<Curl> load_curl(const char* name) {
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return unusable(::dlerror());
  Curl curl{};
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
    if (!function && !missing) missing = symbol;
  };
  find(curl.global_init, "curl_global_init");
  find(curl.slist_append, "curl_slist_append");
  find(curl.slist_free_all, "curl_slist_free_all");
  find(curl.free, "curl_free");
  find(curl.easy_init, "curl_easy_init");
  find(curl.easy_cleanup, "curl_easy_cleanup");
  find(curl.easy_setopt, "curl_easy_setopt");
  find(curl.easy_getinfo, "curl_easy_getinfo");
  find(curl.easy_pause, "curl_easy_pause");
  find(curl.easy_strerror, "curl_easy_strerror");
  find(curl.multi_init, "curl_multi_init");
  find(curl.multi_cleanup, "curl_multi_cleanup");
  find(curl.multi_setopt, "curl_multi_setopt");
  find(curl.multi_add_handle, "curl_multi_add_handle");
  find(curl.multi_remove_handle, "curl_multi_remove_handle");
  find(curl.multi_socket_action, "curl_multi_socket_action");
  find(curl.multi_info_read, "curl_multi_info_read");
  find(curl.url, "curl_url");
  find(curl.url_cleanup, "curl_url_cleanup");
  find(curl.url_set, "curl_url_set");
  find(curl.url_get, "curl_url_get");
  if (missing) return unusable(std::string(name) + " has no " + missing);
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return unusable("it does not initialise");
  return curl;
}

}  // namespace quarry::services
