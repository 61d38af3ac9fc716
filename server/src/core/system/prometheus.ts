/**
 * Metrics for Prometheus: of the process (memory, event loop, garbage collection) and of the
 * service.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../ports/metrics.ts";

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30];
const JOB_SECONDS = [0.01, 0.05, 0.2, 1, 5, 20, 60, 300, 1_800];

const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Uses its own registry, so that two services in one process stay separate. */
export function createMetrics(version: string): Metrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	// Gauges that are named as counters. The sums of the gauges without `_total` are the same.
	for (const name of MISNAMED) registry.removeSingleMetric(name);
	const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
		new Histogram({ name, help, labelNames, buckets, registers: [registry] });
	const requests = histogram(
		"weft_http_request_duration_seconds",
		"Requests by route pattern and status.",
		["method", "route", "status"],
		REQUEST_SECONDS,
	);
	const jobs = histogram(
		"weft_job_duration_seconds",
		"Background jobs that ended in this process; a failed one is tried again.",
		["queue", "outcome"],
		JOB_SECONDS,
	);
	const controllers = histogram(
		"weft_controller_request_duration_seconds",
		"Requests to controllers, retries counted singly.",
		["outcome"],
		REQUEST_SECONDS,
	);
	const failovers = new Counter({
		name: "weft_controller_failovers_total",
		help: "Requests that went on from a member of a controller's cluster that failed to another.",
		labelNames: ["connection"],
		registers: [registry],
	});
	new Gauge({
		name: "weft_build_info",
		help: "Always 1; the version is a label.",
		labelNames: ["version"],
		registers: [registry],
	}).set({ version }, 1);

	const addGauge: Metrics["gauge"] = (name, help, labelNames, read) => {
		const gauge: Gauge<string> = new Gauge({
			name,
			help,
			labelNames: [...labelNames],
			registers: [registry],
			async collect() {
				// A label without a value must not keep its last one.
				gauge.reset();
				for (const { labels = {}, value } of await read()) gauge.set({ ...labels }, value);
			},
		});
	};
	/** Names of gauges that are summaries. */
	const summaries: string[] = [];
	return {
		request: (labels, seconds) => requests.observe(labels, seconds),
		job: (labels, seconds) => jobs.observe(labels, seconds),
		controllerRequest: (labels, seconds) => controllers.observe(labels, seconds),
		controllerFailover: (labels) => failovers.inc(labels),
		gauge: addGauge,
		counter(name, help, labelNames, read) {
			const counter: Counter<string> = new Counter({
				name,
				help,
				labelNames: [...labelNames],
				registers: [registry],
				async collect() {
					const samples = await read();
					counter.reset();
					for (const { labels = {}, value } of samples) counter.inc({ ...labels }, value);
				},
			});
		},
		quantiles(name, help, read) {
			addGauge(name, help, ["quantile"], read);
			summaries.push(name);
		},
		async text() {
			const body = await registry.metrics();
			// The library has no summary whose quantiles are measured elsewhere: only the type differs.
			const typed = summaries.reduce(
				(text, name) => text.replace(`# TYPE ${name} gauge\n`, `# TYPE ${name} summary\n`),
				body,
			);
			return { contentType: registry.contentType, body: typed };
		},
	};
}
