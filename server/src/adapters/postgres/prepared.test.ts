/** Statements that come again are prepared, and a schema that changes beside them is no error. */
import { CompiledQuery } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Db } from "../../ports/store.ts";
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
	await ask("create temporary table things (id integer)");
	await ask("insert into things values (1), (2)");
});
afterEach(() => store.close());

async function ask(text: string, values: unknown[] = [], db: Db = store.db): Promise<unknown[]> {
	return (await db.executeQuery(CompiledQuery.raw(text, values))).rows;
}
const prepared = async () =>
	(await ask("select statement from pg_prepared_statements")).map((row) => (row as { statement: string }).statement);
const times = async (count: number, work: () => Promise<unknown>) => {
	for (let i = 0; i < count; i++) await work();
};

const THINGS = "select * from things where id = $1";

describe("a statement", () => {
	it("is prepared once it has come several times, and answers the same", async () => {
		await times(2, () => ask(THINGS, [1]));
		expect(await prepared()).toEqual([]);
		await times(10, () => ask(THINGS, [1]));
		expect(await prepared()).toEqual([THINGS]);
		expect(await ask(THINGS, [2])).toEqual([{ id: 2 }]);
		await expect(ask(THINGS, ["x"])).rejects.toMatchObject({ code: "22P02" });
		expect(await ask(THINGS, [1])).toEqual([{ id: 1 }]);
	});

	it("follows a table that gets another column", async () => {
		await times(10, () => ask(THINGS, [1]));
		await ask("alter table things add column name text default 'a'");
		expect(await ask(THINGS, [1])).toEqual([{ id: 1, name: "a" }]);
		expect(await ask(THINGS, [2])).toEqual([{ id: 2, name: "a" }]);
	});

	it("follows it in a transaction, which is run again", async () => {
		await times(10, () => ask(THINGS, [1]));
		await ask("alter table things add column name text default 'a'");
		let runs = 0;
		const rows = await store.transaction(async (tx) => {
			runs++;
			await ask("insert into things values ($1)", [3], tx.db);
			return ask(THINGS, [3], tx.db);
		});
		expect(rows).toEqual([{ id: 3, name: "a" }]);
		expect(runs).toBe(2);
		expect(await ask("select count(*) as count from things")).toEqual([{ count: 3 }]);
	});

	it("is prepared for hundreds of texts at most", async () => {
		for (let i = 0; i < 450; i++) await times(3, () => ask(`select $1::integer + ${i} as sum`, [1]));
		expect(await prepared()).toHaveLength(400);
		expect(await ask("select $1::integer + 449 as sum", [1])).toEqual([{ sum: 450 }]);
	});
});
