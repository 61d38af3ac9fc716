/**
 * Notices a store that stands still, and a single connection that does: its process is stopped, or
 * the network drops every packet. TCP alone would let each statement wait for a quarter of an hour.
 */
import pg from "pg";
import type { Log } from "../../core/ports/log.ts";

interface SilenceOptions {
	readonly connection: pg.ClientConfig;
	readonly log: Log;
	/** Milliseconds without an answer after which the store is probed. */
	readonly silenceMs?: number;
	/** Milliseconds that the store has to accept the probe's connection, and to answer on it. */
	readonly probeMs?: number;
	/** Milliseconds that a statement may take at a store which answers. */
	readonly limitMs?: number;
}

/** `processID`: of the backend; absent from the driver's types. */
type WatchedClient = Pick<pg.Client, "connection"> & { readonly processID?: number | null };

export interface SilenceGuard {
	/**
	 * Watches a statement that is about to be sent on a connection. If the store or the connection's
	 * backend stands still, the connection is destroyed: its statements then fail with ETIMEDOUT.
	 * @returns a function to call when the statement has been answered
	 */
	watch(client: WatchedClient): () => void;
}

/** The name by which the store knows the connections of the pools. */
export const STORE_APPLICATION = "weft";
/** Milliseconds for which backends have waited for a statement, by process id. */
type IdleBackends = ReadonlyMap<number, number>;
const IDLE_BACKENDS = `
	select pid, (extract(epoch from clock_timestamp() - state_change) * 1000)::float8 as idle_ms
	from pg_stat_activity where application_name = $1 and state like 'idle%'`;

/** Longer than the store's own limit of a statement, whose error says more. */
const LIMIT_MS = 65_000;

export function createSilenceGuard(options: SilenceOptions): SilenceGuard {
	const { connection, log, silenceMs = 3_000, probeMs = 2_000, limitMs = LIMIT_MS } = options;
	let probing: Promise<IdleBackends | null> | null = null;

	/** What a new connection finds; null if the store stands still. Shared by all who ask. */
	function findIdle(): Promise<IdleBackends | null> {
		probing ??= probeStore().finally(() => {
			probing = null;
		});
		return probing;
	}

	async function probeStore(): Promise<IdleBackends | null> {
		const client = new pg.Client({
			...connection,
			application_name: "weft-probe",
			connectionTimeoutMillis: probeMs,
			query_timeout: probeMs,
		});
		client.on("error", () => {});
		try {
			await client.connect();
			const { rows } = await client.query<{ pid: number; idle_ms: number }>(IDLE_BACKENDS, [STORE_APPLICATION]);
			return new Map(rows.map(({ pid, idle_ms }) => [pid, idle_ms]));
		} catch (error) {
			// A refusal with an SQLSTATE, such as too many connections, is an answer.
			if (error instanceof pg.DatabaseError) return new Map();
			log.warn({ err: error }, "the store does not answer");
			return null;
		} finally {
			client.end().catch(() => {});
		}
	}

	return {
		watch(client) {
			const began = performance.now();
			let answered = false;
			let timer = setTimeout(checkStatement, silenceMs);

			/**
			 * Whether the store still works on the statement. A backend that has been idle since before
			 * the statement was sent never received it.
			 */
			async function isAtWork(): Promise<boolean> {
				const waitedMs = performance.now() - began;
				const idle = await findIdle();
				return idle !== null && (idle.get(client.processID ?? 0) ?? 0) < waitedMs;
			}

			async function checkStatement(): Promise<void> {
				// An answer that is already here, behind other work of this process, counts.
				await new Promise((resolve) => setImmediate(resolve));
				const isLate = performance.now() - began >= limitMs;
				if (answered || (!isLate && (await isAtWork()))) {
					if (!answered) timer = setTimeout(checkStatement, silenceMs);
					return;
				}
				if (answered) return;
				const waited = Math.round((performance.now() - began) / 1_000);
				client.connection.stream.destroy(
					Object.assign(new Error(`The store did not answer a statement for ${waited} s.`), { code: "ETIMEDOUT" }),
				);
			}

			return () => {
				answered = true;
				clearTimeout(timer);
			};
		},
	};
}
