#include "resource-debian/testing/archive_host.h"

#include "package_source/digest.h"

#include <cstdio>
#include <cstdlib>

namespace quarry::resource_debian::testing {
namespace {

std::string listed(const std::string& name, const std::string& bytes) {
  return " " + package_source::sha256_hex(bytes) + " " + std::to_string(bytes.size()) + " " + name +
         "\n";
}

std::string header_of(const TarEntry& entry) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", entry.bytes.size());
  put(0, entry.path);
  put(100, "0000644");
  put(124, size);
  put(148, "        ");
  header[156] = entry.type;
  put(157, entry.target);
  put(257, "ustar");
  put(263, "00");
  unsigned int sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char checksum[8];
  std::snprintf(checksum, sizeof checksum, "%06o", sum);
  put(148, std::string_view(checksum, 7));
  return header;
}

}  // namespace

std::string tar_of(const std::vector<TarEntry>& entries) {
  std::string out;
  for (const TarEntry& entry : entries) {
    out += header_of(entry) + entry.bytes;
    out.resize((out.size() + 511) / 512 * 512);
  }
  return out + std::string(1024, '\0');
}

std::string clear_signed(const std::string& text) {
  return "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + text +
         "-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n";
}

ArchiveHost::ArchiveHost()
    : paths_{sizeof paths_, this,
             [](const quarry_paths_v1* self) {
               return as_text(static_cast<const ArchiveHost*>(self->context)->cache_text_);
             },
             [](const quarry_paths_v1*) { return quarry_text{}; }},
      processes_{sizeof processes_, this, run} {
  cache_text_ = (std::filesystem::temp_directory_path() / "quarry-debian-XXXXXX").string();
  EXPECT_NE(::mkdtemp(cache_text_.data()), nullptr);
  cache = cache_text_;
  http.answer = [this](const HttpRequest& request) { return respond(request); };
  fake.offer(QUARRY_HTTP, http.get());
  fake.offer(QUARRY_PATHS, &paths_);
  fake.offer(QUARRY_PROCESS, &processes_);
}

ArchiveHost::~ArchiveHost() {
  std::filesystem::remove_all(cache);
}

void ArchiveHost::answer(const std::string& path, const std::string& body, int code) {
  files_[std::string(kMirror) + path] = {code, {}, body};
}

void ArchiveHost::publish(const std::string& version, const std::string& date,
                          const std::string& fields, const std::string& folder) {
  const std::string tar = "native_" + version + ".tar.gz";
  const std::string bytes = tar_of({{"native/README", "version " + version + "\n"},
                                    {"native/debian/control", "Source: native\n"}});
  const std::string description = "Format: 3.0 (native)\nSource: native\nVersion: " + version +
                                  "\nChecksums-Sha256:\n" + listed(tar, bytes);
  const std::string name = "native_" + version + ".dsc";
  const std::string sources =
      "Package: native\nBinary: native-bin, native-doc\nVersion: " + version +
      "\nDirectory: pool/main/n/native\nChecksums-Sha256:\n" + listed(name, description) +
      listed(tar, bytes);
  answer("/pool/main/n/native/" + tar, bytes);
  answer("/pool/main/n/native/" + name, description);
  answer("/dists/" + folder + "/main/source/Sources", sources);
  answer(
      "/dists/" + folder + "/InRelease",
      clear_signed("Origin: Debian\nSuite: stable\nCodename: test\nDate: " + date + "\n" + fields +
                   "Components: main\nSHA256:\n" + listed("main/source/Sources", sources)));
}

Outcome<HttpResponse> ArchiveHost::respond(const HttpRequest& request) const {
  const auto found = files_.find(request.url);
  if (found == files_.end()) return HttpResponse{404, {}, ""};
  HttpResponse out = found->second;
  if (!request.url.ends_with("/InRelease") || etag.empty()) return out;
  out.headers.push_back({"ETag", etag, {}});
  if (quarry::header(request.headers, "if-none-match") == etag) return HttpResponse{304, {}, ""};
  return out;
}

std::vector<std::string> ArchiveHost::requested() const {
  std::vector<std::string> out;
  for (const HttpRequest& request : http.requests) {
    out.push_back(request.url.substr(kMirror.size()));
  }
  return out;
}

// gpgv passes the signed text on, and its status on standard error.
void ArchiveHost::run(const quarry_process_v1* self, const quarry_call*,
                      const quarry_process_spec* spec, const quarry_process_sink* sink,
                      const quarry_reply* reply) {
  const auto& host = *static_cast<const ArchiveHost*>(self->context);
  EXPECT_EQ(as_view(spec->program), "gpgv");
  std::string_view text = as_view(spec->input);
  text.remove_prefix(text.find("\n\n") + 2);
  text = text.substr(0, text.find("-----BEGIN PGP SIGNATURE"));
  const auto fail = [reply](quarry_status status, std::string_view message) {
    const quarry_failure failure{sizeof failure, status, as_text(message), {}, {}};
    reply->failure(reply, &failure);
  };
  if (host.run_failure) return fail(host.run_failure->status, host.run_failure->message);
  if (text.size() > spec->output_limit || host.status.size() > spec->output_limit) {
    return fail(QUARRY_RESOURCE_EXHAUSTED, "gpgv: the output exceeded its limit");
  }
  sink->output(sink, as_text(text));
  if (sink->error_output(sink, as_text(host.status)) != QUARRY_OK) {
    return fail(QUARRY_CANCELLED, "gpgv: the plugin rejected further output");
  }
  const std::string ended = host.signal == 0 ? "{\"exit\":" + std::to_string(host.exit) + "}"
                                             : "{\"signal\":" + std::to_string(host.signal) + "}";
  reply->value(reply, as_text(ended));
}

}  // namespace quarry::resource_debian::testing
