/**
 * A store that dies between two statements: each statement of each transaction of some areas fails
 * once, and so does each commit, before and after it. A transaction that is tried again therefore
 * ends at its next statement, until it has been cut at each of them.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type pg from "pg";
import type { Store } from "../../src/core/ports/store.ts";
import type { PostgresStore } from "../../src/storage/postgres/store.ts";

export interface DyingStore {
	/** Places that have failed, such as `writeVerdict 3 insert into …`. */
	readonly deaths: ReadonlySet<string>;
	start(): void;
	stop(): void;
}

/** A transaction by the function that began it, and the number of its statements so far. */
interface Origin {
	readonly name: string;
	statements: number;
}

const DIE = "do $$ begin raise exception 'The process died here.'; end $$";
type Query = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

/** @param areas folders of the functions whose transactions fail, such as `areas/windows/` */
export function makeStoreDie(store: Store, areas: readonly string[]): DyingStore {
	const { pool } = store as PostgresStore;
	const origins = new AsyncLocalStorage<Origin>();
	const deaths = new Set<string>();
	const patched = new WeakSet<object>();
	let isOn = false;

	/** Whether the place fails now: it fails once. */
	function isDeadly(place: string): boolean {
		if (!isOn || deaths.has(place)) return false;
		deaths.add(place);
		return true;
	}

	async function sendCommit(send: () => Promise<pg.QueryResult>, rollBack: () => Promise<unknown>, name: string) {
		if (isDeadly(`${name} before its commit`)) {
			await rollBack();
			throw new Error("The process died before its commit.");
		}
		const answer = await send();
		if (isDeadly(`${name} after its commit`)) throw new Error("The process died after its commit.");
		return answer;
	}

	function patchClient(client: pg.PoolClient): void {
		if (patched.has(client)) return;
		patched.add(client);
		const send = client.query.bind(client) as Query;
		const query: Query = async (config) => {
			const origin = origins.getStore();
			const { text } = config;
			if (origin === undefined || text === "begin" || text === "rollback") return send(config);
			if (text === "commit")
				return sendCommit(
					() => send(config),
					() => send({ text: "rollback" }),
					origin.name,
				);
			origin.statements++;
			return send(isDeadly(`${origin.name} ${origin.statements} ${shortenStatement(text)}`) ? { text: DIE } : config);
		};
		Object.assign(client, { query });
	}

	const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
	const { transaction } = store;
	const connectPatched = async () => {
		const client = await connect();
		patchClient(client);
		return client;
	};
	const transactDying: Store["transaction"] = (work) => {
		const name = findOrigin(areas);
		return name === null ? transaction(work) : origins.run({ name, statements: 0 }, () => transaction(work));
	};
	Object.assign(pool, { connect: connectPatched });
	Object.assign(store, { transaction: transactDying });
	return {
		deaths,
		start: () => {
			isOn = true;
		},
		stop: () => {
			isOn = false;
		},
	};
}

/** The beginning of a statement and its digest, which tells alike ones apart. */
const shortenStatement = (text: string): string =>
	`${text.trim().slice(0, 50)} ${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;

/** Finds the function of the areas that begins the transaction; null for other areas. */
function findOrigin(areas: readonly string[]): string | null {
	const caller = (new Error().stack ?? "").split("\n").find((line) => line.includes("/server/src/areas/"));
	if (caller === undefined || !areas.some((area) => caller.includes(area))) return null;
	return /at (?:async )?(?:Object\.)?([\w.]+) /.exec(caller)?.[1] ?? caller.trim();
}
