/** Statements that are sent together are still answered, fail and take effect one after another. */
import { CompiledQuery } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Db } from "../../core/ports/store.ts";
import { createPostgresStore, type PostgresStore } from "./store.ts";

let store: PostgresStore;

beforeEach(async () => {
	// One connection: what one transaction leaves behind the next one meets.
	store = createPostgresStore({
		connection: inject("connection"),
		poolSize: 1,
		log: pino({ level: "silent" }),
		checkSchema: async () => {},
	});
	await runQuery(store.db, "create temporary table things (id integer primary key)");
});
afterEach(() => store.close());

async function runQuery(db: Db, text: string, values: unknown[] = []): Promise<unknown[]> {
	return (await db.executeQuery(CompiledQuery.raw(text, values))).rows;
}
const ADD = "insert into things values ($1)";
const buildInsert = (id: unknown) => CompiledQuery.raw(ADD, [id]);
const listThings = async () =>
	(await runQuery(store.db, "select id from things order by id")).map((row) => (row as { id: number }).id);

describe("a transaction", () => {
	it("begins with its first statement", async () => {
		const seen = await store.transaction(async ({ db }) => {
			await runQuery(db, ADD, [1]);
			return [
				...(await runQuery(db, "select pg_current_xact_id()::text as id")),
				...(await runQuery(db, "select xmin::text as id from things")),
			];
		});
		expect(seen[0]).toEqual(seen[1]);
		expect(await listThings()).toEqual([1]);
	});

	it("is undone from its first statement on", async () => {
		const failing = store.transaction(async ({ db }) => {
			await runQuery(db, ADD, [1]);
			throw new Error("no");
		});
		await expect(failing).rejects.toThrow("no");
		expect(await listThings()).toEqual([]);
	});

	it("rolls back on request, still returns its value, and carries out no side effect", async () => {
		const effects: string[] = [];
		const answer = await store.transaction(async (tx) => {
			await tx.withCommit(buildInsert(2));
			tx.afterCommit(() => effects.push("committed"));
			await runQuery(tx.db, ADD, [1]);
			tx.rollBack();
			return "undone";
		});
		expect(answer).toBe("undone");
		expect(await listThings()).toEqual([]);
		expect(effects).toEqual([]);
	});

	it("fails with its first statement, and leaves nothing open", async () => {
		await runQuery(store.db, ADD, [1]);
		await expect(store.transaction(({ db }) => runQuery(db, ADD, [1]))).rejects.toMatchObject({ code: "23505" });
		await runQuery(store.db, ADD, [2]);
		expect(await runQuery(store.db, "select pg_current_xact_id_if_assigned() as id")).toEqual([{ id: null }]);
		expect(await listThings()).toEqual([1, 2]);
	});

	it("may be empty", async () => {
		expect(await store.transaction(async () => 1)).toBe(1);
		await expect(
			store.transaction(async () => {
				throw new Error("no");
			}),
		).rejects.toThrow("no");
		expect(await runQuery(store.db, "select now() = statement_timestamp() as alone")).toEqual([{ alone: true }]);
	});

	it("gives each of several statements asked at once its own answer", async () => {
		const answers = await store.transaction(({ db }) =>
			Promise.all([1, 2, 3].map((number) => runQuery(db, "select $1::integer as number", [number]))),
		);
		expect(answers).toEqual([[{ number: 1 }], [{ number: 2 }], [{ number: 3 }]]);
	});
});

describe("what runs with the commit", () => {
	it("runs in the order in which it was asked for, after everything else", async () => {
		await store.transaction(async (tx) => {
			await tx.withCommit(CompiledQuery.raw("update things set id = id * 10"));
			await tx.withCommit(buildInsert(3));
			await runQuery(tx.db, ADD, [1]);
		});
		expect(await listThings()).toEqual([3, 10]);
	});

	it("takes the whole transaction back when it fails, and says why", async () => {
		const effects: string[] = [];
		const failing = store.transaction(async (tx) => {
			await tx.withCommit(buildInsert(1));
			await tx.withCommit(buildInsert("x"));
			await tx.withCommit(buildInsert(4));
			tx.afterCommit(() => effects.push("committed"));
			await runQuery(tx.db, ADD, [2]);
		});
		await expect(failing).rejects.toMatchObject({ code: "22P02" });
		expect(await listThings()).toEqual([]);
		expect(effects).toEqual([]);
	});

	it("makes the transaction run again where another would have", async () => {
		await runQuery(
			store.db,
			`create function pg_temp.sometimes(boolean) returns void language plpgsql as
				$$ begin if $1 then raise 'once' using errcode = '40001'; end if; end $$`,
		);
		let runs = 0;
		await store.transaction(async (tx) => {
			await runQuery(tx.db, ADD, [++runs]);
			await tx.withCommit(CompiledQuery.raw("select pg_temp.sometimes($1)", [runs < 3]));
		});
		expect(await listThings()).toEqual([3]);
	});

	it("is left out where the work itself fails", async () => {
		const failing = store.transaction(async (tx) => {
			await tx.withCommit(buildInsert(1));
			throw new Error("no");
		});
		await expect(failing).rejects.toThrow("no");
		expect(await listThings()).toEqual([]);
	});
});
