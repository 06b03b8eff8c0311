/* Uses every service once. A line of the report has no times, paths or ports, so that it can be
 * compared. */
#include "frozen.h"

static void report_log(const struct instance* self, struct text* report) {
  const quarry_log_v1* log = self->log;
  if (log == NULL) return;
  log->write(log, QUARRY_LOG_INFO, quarry_text_of("frozen information"));
  log->write(log, QUARRY_LOG_WARNING, quarry_text_of("frozen warning"));
  log->write(log, QUARRY_LOG_ERROR, quarry_text_of("frozen error"));
  text_format(report, "{\"log.enabled\": %d}\n", log->enabled(log, QUARRY_LOG_ERROR));
}

static void report_metrics(const struct instance* self, struct text* report) {
  const quarry_metrics_v1* metrics = frozen_service(self, QUARRY_METRICS);
  if (metrics == NULL || !QUARRY_HAS(metrics, observe)) return;
  metrics->count(metrics, quarry_text_of("frozen_fetches"), quarry_text_of("edition=\"first\""), 1);
  metrics->gauge(metrics, quarry_text_of("frozen_files"), quarry_text_of(""), 7);
  metrics->observe(metrics, quarry_text_of("frozen_seconds"), quarry_text_of(""), 0.25);
  text_put(report, "{\"metrics\": true}\n");
}

/* Writes and reads a file in a directory. */
static int is_usable(quarry_text directory, const char* name) {
  struct text path = {NULL, 0, 0};
  FILE* file;
  int usable = 0;
  text_add(&path, directory.data, directory.size);
  text_format(&path, "/%s", name);
  file = fopen(path.data, "w");
  if (file != NULL) usable = fputs("kept", file) >= 0 && fclose(file) == 0;
  text_free(&path);
  return usable;
}

static void report_paths(const struct instance* self, struct text* report) {
  const quarry_paths_v1* paths = frozen_service(self, QUARRY_PATHS);
  if (paths == NULL || !QUARRY_HAS(paths, data)) return;
  text_format(report, "{\"paths.cache\": %d, \"paths.data\": %d}\n",
              is_usable(paths->cache(paths), "frozen"), is_usable(paths->data(paths), "frozen"));
}

static void report_clock(const struct instance* self, const quarry_call* call,
                         struct text* report) {
  const quarry_clock_v1* clock = self->clock;
  int64_t begun;
  quarry_status slept;
  if (clock == NULL || !QUARRY_HAS(clock, sleep)) return;
  begun = clock->steady_ns(clock);
  slept = clock->sleep(clock, call, 2);
  text_format(report, "{\"clock.sleep\": %d, \"steady\": %d, \"wall\": %d}\n", slept,
              clock->steady_ns(clock) - begun >= 1000000, clock->wall_ms(clock) > 1600000000000);
}

static quarry_status ended(void* context) {
  (void)context;
  return QUARRY_CANCELLED;
}

/* Calls that end: by their own time, and by a state. */
static void report_calls(const struct instance* self, const quarry_call* call,
                         struct text* report) {
  const quarry_host* host = self->host;
  const quarry_call* brief = host->open_call(host, call, 5, NULL, NULL);
  const quarry_call* over = host->open_call(host, call, INT64_MAX, ended, NULL);
  const int64_t left = brief->remaining_ms(brief);
  const quarry_status slept = self->clock->sleep(self->clock, brief, 60000);
  text_format(report, "{\"call.deadline\": %d, \"remaining\": %d, \"cancelled\": %d}\n", slept,
              left >= 0 && left <= 5, over->state(over));
  host->close_call(host, over);
  host->close_call(host, brief);
  host->close_call(host, NULL);
  brief = host->open_call(host, (const quarry_call*)&self->configuration, 0, NULL, NULL);
  text_format(report, "{\"call.forged\": %s}\n", brief == NULL ? "null" : "\"opened\"");
}

static void report_secrets(const struct instance* self, const quarry_call* call, const char* name,
                           struct text* report) {
  const quarry_secrets_v1* secrets = frozen_service(self, QUARRY_SECRETS);
  struct outcome outcome;
  struct text found = {NULL, 0, 0};
  if (secrets == NULL || !QUARRY_HAS(secrets, hide)) return;
  outcome_begin(&outcome);
  secrets->get(secrets, call, quarry_text_of(name), &outcome.reply);
  if (outcome.status == QUARRY_OK) {
    text_repeat(&found, ' ', outcome.value.size);
    found.size = quarry_json_string(text_view(&outcome.value), found.data);
  }
  text_format(report, "{\"secrets.get\": %d, \"size\": %d}\n", outcome.status, (int)found.size);
  secrets->hide(secrets, quarry_text_of("hidden-by-the-frozen-plugin"));
  if (self->log != NULL) {
    self->log->write(self->log, QUARRY_LOG_INFO,
                     quarry_text_of("found hidden-by-the-frozen-plugin"));
  }
  outcome_free(&outcome);
  text_free(&found);
}

/* What a program wrote. */
struct written {
  struct text output;
  struct text error_output;
};

static quarry_status take_output(const quarry_process_sink* self, quarry_text bytes) {
  struct written* written = self->context;
  text_add(&written->output, bytes.data, bytes.size);
  return QUARRY_OK;
}

static quarry_status take_error_output(const quarry_process_sink* self, quarry_text bytes) {
  struct written* written = self->context;
  text_add(&written->error_output, bytes.data, bytes.size);
  return QUARRY_OK;
}

static void report_process(const struct instance* self, const quarry_call* call,
                           const char* program, const char* script, struct text* report) {
  const quarry_process_v1* process = frozen_service(self, QUARRY_PROCESS);
  const quarry_text arguments[2] = {quarry_text_of("-c"), quarry_text_of(script)};
  const quarry_text environment[1] = {quarry_text_of("FROZEN=ice")};
  quarry_process_spec spec;
  quarry_process_sink sink;
  struct written said = {{NULL, 0, 0}, {NULL, 0, 0}};
  struct outcome outcome;
  if (process == NULL || !QUARRY_HAS(process, run)) return;
  memset(&spec, 0, sizeof spec);
  spec.struct_size = sizeof spec;
  spec.program = quarry_text_of(program);
  spec.argument_count = 2;
  spec.arguments = arguments;
  spec.environment_count = 1;
  spec.environment = environment;
  spec.directory = quarry_text_of("/");
  spec.input = quarry_text_of("some input");
  spec.output_limit = 4096;
  spec.file_limit = 1 << 20;
  spec.memory_limit = (uint64_t)1 << 30;
  memset(&sink, 0, sizeof sink);
  sink.struct_size = sizeof sink;
  sink.context = &said;
  sink.output = take_output;
  sink.error_output = take_error_output;
  outcome_begin(&outcome);
  process->run(process, call, &spec, &sink, &outcome.reply);
  text_format(report, "{\"process.run\": %d, \"value\": %s, \"output\": ", outcome.status,
              outcome.status == QUARRY_OK ? outcome.value.data : "null");
  text_quote(report, text_view(&said.output));
  text_put(report, ", \"error\": ");
  text_quote(report, text_view(&said.error_output));
  text_put(report, "}\n");
  outcome_free(&outcome);
  text_free(&said.output), text_free(&said.error_output);
}

/* Files that jobs add. */
struct jobs {
  const quarry_tree* tree;
  int next;
  int done;
  quarry_status status;
};

static void run_job(void* context) {
  struct jobs* jobs = context;
  struct text path = {NULL, 0, 0};
  quarry_status status;
  text_format(&path, "job-%d.md", __atomic_add_fetch(&jobs->next, 1, __ATOMIC_RELAXED));
  status = jobs->tree->add_file(jobs->tree, text_view(&path), quarry_text_of("# Job\n"));
  if (status != QUARRY_OK) __atomic_store_n(&jobs->status, status, __ATOMIC_RELAXED);
  text_free(&path);
  __atomic_add_fetch(&jobs->done, 1, __ATOMIC_RELEASE);
}

static void report_work(struct instance* self, const quarry_call* call, const quarry_tree* tree,
                        struct text* report) {
  struct jobs jobs = {NULL, 0, 0, QUARRY_OK};
  int submitted = 0, i;
  if (self->work == NULL || !QUARRY_HAS(self->work, concurrency)) return;
  jobs.tree = tree;
  for (i = 0; i < 4; ++i) submitted += self->work->submit(self->work, run_job, &jobs) == QUARRY_OK;
  while (__atomic_load_n(&jobs.done, __ATOMIC_ACQUIRE) < submitted ||
         (self->loop != NULL && __atomic_load_n(&self->rounds, __ATOMIC_ACQUIRE) == 0)) {
    self->clock->sleep(self->clock, call, 1);
  }
  text_format(report, "{\"work.jobs\": %d, \"status\": %d, \"loop\": %d, \"concurrency\": %d}\n",
              submitted, jobs.status, self->rounds > 0, self->work->concurrency(self->work) >= 1);
}

void frozen_report_services(struct instance* self, const quarry_call* call, quarry_text resource,
                            const quarry_tree* tree, struct text* report) {
  struct text token = text_member(resource, "token");
  report_log(self, report);
  report_metrics(self, report);
  report_paths(self, report);
  report_clock(self, call, report);
  report_calls(self, call, report);
  report_secrets(self, call, token.data, report);
  report_secrets(self, call, "SOMEBODY_ELSES", report);
  report_process(self, call, "sh", "cat; echo $FROZEN; pwd; echo error >&2; exit 3", report);
  report_process(self, call, "sh", "kill -9 $$", report);
  report_process(self, call, "forbidden-program", "", report);
  report_work(self, call, tree, report);
  frozen_report_http(self, call, resource, report);
  text_free(&token);
}
