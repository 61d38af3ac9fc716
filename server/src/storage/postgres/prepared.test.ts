/** Statements that come again are prepared, and a schema that changes beside them is no error. */
import { CompiledQuery } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Db } from "../../core/ports/store.ts";
import { createPostgresStore, type PostgresStore } from "./store.ts";

let store: PostgresStore;

beforeEach(async () => {
	// One connection, for its temporary table and its prepared statements are its own.
	store = createPostgresStore({
		connection: inject("connection"),
		poolSize: 1,
		log: pino({ level: "silent" }),
		checkSchema: async () => {},
	});
	await runQuery("create temporary table things (id integer)");
	await runQuery("insert into things values (1), (2)");
});
afterEach(() => store.close());

async function runQuery(text: string, values: unknown[] = [], db: Db = store.db): Promise<unknown[]> {
	return (await db.executeQuery(CompiledQuery.raw(text, values))).rows;
}
const listPreparedStatements = async () =>
	(await runQuery("select statement from pg_prepared_statements")).map(
		(row) => (row as { statement: string }).statement,
	);
const runRepeatedly = async (count: number, work: () => Promise<unknown>) => {
	for (let i = 0; i < count; i++) await work();
};

const THINGS = "select * from things where id = $1";

describe("a statement", () => {
	it("is prepared once it has come several times, and answers the same", async () => {
		await runRepeatedly(2, () => runQuery(THINGS, [1]));
		expect(await listPreparedStatements()).toEqual([]);
		await runRepeatedly(10, () => runQuery(THINGS, [1]));
		expect(await listPreparedStatements()).toEqual([THINGS]);
		expect(await runQuery(THINGS, [2])).toEqual([{ id: 2 }]);
		await expect(runQuery(THINGS, ["x"])).rejects.toMatchObject({ code: "22P02" });
		expect(await runQuery(THINGS, [1])).toEqual([{ id: 1 }]);
	});

	it("follows a table that gets another column", async () => {
		await runRepeatedly(10, () => runQuery(THINGS, [1]));
		await runQuery("alter table things add column name text default 'a'");
		expect(await runQuery(THINGS, [1])).toEqual([{ id: 1, name: "a" }]);
		expect(await runQuery(THINGS, [2])).toEqual([{ id: 2, name: "a" }]);
	});

	it("follows it in a transaction, which is run again", async () => {
		await runRepeatedly(10, () => runQuery(THINGS, [1]));
		await runQuery("alter table things add column name text default 'a'");
		let runs = 0;
		const rows = await store.transaction(async (tx) => {
			runs++;
			await runQuery("insert into things values ($1)", [3], tx.db);
			return runQuery(THINGS, [3], tx.db);
		});
		expect(rows).toEqual([{ id: 3, name: "a" }]);
		expect(runs).toBe(2);
		expect(await runQuery("select count(*) as count from things")).toEqual([{ count: 3 }]);
	});

	it("is prepared for hundreds of texts at most", async () => {
		for (let i = 0; i < 450; i++) await runRepeatedly(3, () => runQuery(`select $1::integer + ${i} as sum`, [1]));
		expect(await listPreparedStatements()).toHaveLength(400);
		expect(await runQuery("select $1::integer + 449 as sum", [1])).toEqual([{ sum: 450 }]);
	});
});
