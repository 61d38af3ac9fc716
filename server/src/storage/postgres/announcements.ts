/** Announcements through PostgreSQL's NOTIFY, received on a connection of their own. */
import { sql } from "kysely";
import pg from "pg";
import type { Announcements } from "../../core/ports/announcements.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";

const CHANNEL = "weft_announcements";
const RETRY_MS = 1_000;
const CHECK_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;

interface Listener {
	heard(message: string): void;
	missed(): void;
}

export async function createAnnouncements(deps: {
	connection: pg.ClientConfig;
	log: Log;
	clock: Clock;
}): Promise<Announcements> {
	const listeners = new Map<string, Listener[]>();
	const closing = new AbortController();
	let client: pg.Client | null = null;

	async function connectClient(): Promise<void> {
		const fresh = new pg.Client({
			...deps.connection,
			application_name: "weft-announcements",
			connectionTimeoutMillis: 5_000,
			query_timeout: CHECK_TIMEOUT_MS,
			keepAlive: true,
		});
		fresh.on("notification", ({ payload = "" }) => {
			const separator = payload.indexOf(":");
			for (const listener of listeners.get(payload.slice(0, separator)) ?? [])
				listener.heard(payload.slice(separator + 1));
		});
		fresh.on("error", () => dropClient(fresh));
		fresh.on("end", () => dropClient(fresh));
		await fresh.connect();
		await fresh.query(`listen ${CHANNEL}`);
		if (closing.signal.aborted) return fresh.end();
		client = fresh;
		// Earlier announcements were not received.
		for (const listener of [...listeners.values()].flat()) listener.missed();
	}

	function dropClient(lost: pg.Client): void {
		if (client !== lost) return;
		client = null;
		lost.end().catch(() => {});
		for (const listener of [...listeners.values()].flat()) listener.missed();
		if (!closing.signal.aborted) void reconnectClient();
	}

	async function reconnectClient(): Promise<void> {
		deps.log.warn(
			{},
			"announcements of other nodes cannot be received; sessions are read from the store until they can",
		);
		while (client === null && !closing.signal.aborted) {
			await connectClient().catch(() => deps.clock.sleep(RETRY_MS, closing.signal).catch(() => {}));
		}
	}

	/** Detects a connection that died silently. */
	const check = deps.clock.every(CHECK_MS, () => {
		const current = client;
		current?.query("select 1").catch(() => dropClient(current));
	});

	await connectClient();

	return {
		async announce(tx, topic, message) {
			await sql`select pg_notify(${CHANNEL}, ${`${topic}:${message}`})`.execute(tx.db);
		},
		listen(topic, heard, missed) {
			listeners.set(topic, [...(listeners.get(topic) ?? []), { heard, missed }]);
		},
		heard: () => client !== null,
		async close() {
			closing.abort();
			check.stop();
			const last = client;
			client = null;
			await last?.end().catch(() => {});
		},
	};
}
