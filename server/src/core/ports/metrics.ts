/** Metrics for operators. Names follow Prometheus: units in the name, labels with few values. */
export interface Metrics {
	/** An answered request; `route` is the pattern, never the address. */
	request(labels: { method: string; route: string; status: number }, seconds: number): void;
	/** A background job that ended. */
	job(labels: { queue: string; outcome: "done" | "failed" }, seconds: number): void;
	/** A request to a controller that was answered, or failed. */
	controllerRequest(labels: { outcome: "answered" | "failed" }, seconds: number): void;
	/** A request that went on from a member of a cluster that failed to another. */
	controllerFailover(labels: { connection: string }): void;
	/** A value read on each scrape. Registering a name twice is a programming error. */
	gauge(name: string, help: string, labels: readonly string[], read: () => Sample[] | Promise<Sample[]>): void;
	/** Like `gauge`, for a number that never falls; its name ends with `_total`. */
	counter(name: string, help: string, labels: readonly string[], read: () => Promise<Sample[]>): void;
	/** Like `gauge`, for quantiles measured elsewhere: a summary with the label `quantile`. */
	quantiles(name: string, help: string, read: () => Sample[] | Promise<Sample[]>): void;
	/** Everything, in the text format of Prometheus. */
	text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface Sample {
	readonly labels?: Readonly<Record<string, string>>;
	readonly value: number;
}
