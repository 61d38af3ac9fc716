/** Background work of the audit log: sealing every few seconds, and removing what is too old. Any process may do both. */
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

const SEAL_MS = 10_000;
/** Retentions are whole days: within the hour after one has ended, its entries go. */
const PURGE_MS = 3_600_000;

export interface AuditJobsDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly seal: (signal: AbortSignal) => Promise<void>;
	/** Puts what is sealed into the index of terms. */
	readonly extend: (signal: AbortSignal) => Promise<void>;
	readonly purge: (signal: AbortSignal) => Promise<void>;
}

export function createAuditJobs({ clock, log, seal, extend, purge }: AuditJobsDeps) {
	return {
		/** Starts the timers; what waits is sealed at once. */
		work(): { stop(): void } {
			const stopping = new AbortController();
			const timers = [
				every(SEAL_MS, "entries of the audit log could not be sealed or indexed", async () => {
					await seal(stopping.signal);
					await extend(stopping.signal);
				}),
				every(PURGE_MS, "old entries of the audit log could not be removed", async () => {
					// What is not sealed is not removed.
					await seal(stopping.signal);
					await purge(stopping.signal);
				}),
			];
			return {
				stop() {
					stopping.abort();
					for (const timer of timers) timer.stop();
				},
			};
		},
	};

	/** Now and then every `ms`; a time that comes while the work is still under way is left out. */
	function every(ms: number, failure: string, work: () => Promise<void>): { stop(): void } {
		let running = false;
		async function run(): Promise<void> {
			if (running) return;
			running = true;
			await work().catch((error: unknown) => log.warn({ err: error }, failure));
			running = false;
		}
		void run();
		return clock.every(ms, () => void run());
	}
}
