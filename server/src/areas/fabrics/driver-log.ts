/** Log entries and metrics of the drivers of connections. */
import type { Log } from "../../core/ports/log.ts";
import type { Metrics } from "../../core/ports/metrics.ts";

/** Makes the listener that warns on each use of a connection without validated certificate. */
export const warnUnverified =
	(log: Pick<Log, "warn">, server: "a controller" | "an automation server") =>
	({ id, url }: { readonly id: string; readonly url: string }): void =>
		log.warn({ connectionId: id, host: new URL(url).host }, `the certificate of ${server} is not validated`);

/** Makes the listener that writes each failover into the log and the metrics. */
export const noteFailover =
	(log: Pick<Log, "warn">, metrics: Pick<Metrics, "controllerFailover"> | null) =>
	(
		{ id, name = "" }: { readonly id: string; readonly name?: string | undefined },
		failover: { readonly from: string; readonly to: string; readonly reason: string },
	): void => {
		log.warn({ connectionId: id, connection: name, ...failover }, "controller_failover");
		metrics?.controllerFailover({ connection: name });
	};
