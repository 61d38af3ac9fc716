/** Rolling upgrades: the previous version must work on the schema after each migration. */
import { describe, expect, it } from "vitest";
import { readMigrations } from "../../src/storage/postgres/migrate.ts";

/** The last migration before the first released version. */
const FIRST_RELEASE = "0023";

/** Statements that break the previous version, with the reason. */
const BREAKS: readonly [pattern: RegExp, why: string][] = [
	[/\bdrop\s+(table|view|function|type)\b/, "it may still use it"],
	[/\bdrop\s+column\b/, "it still reads and writes the column"],
	[/\brename\b/, "it knows the old name only"],
	[/\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/, "it reads and writes the old type"],
	[/\bset\s+not\s+null\b/, "it may write a null"],
	[/\bdrop\s+default\b/, "it leaves the column to its default"],
	[/\badd\s+column\b(?!.*\b(?:default|generated)\b).*\bnot\s+null\b/s, "it writes rows without the column"],
	[/\badd\s+(?:constraint|check|unique|primary|foreign|exclude)\b/, "it may write what the constraint forbids"],
	[/\bcreate\s+unique\s+index\b/, "it may write what the index forbids"],
	[/(?<!\bbefore )\btruncate\b|\bdelete\s+from\b/, "it may be working on the rows"],
];

/** @returns violations in the order of the rules */
function findProblems(sql: string): string[] {
	const bare = sql
		.toLowerCase()
		.replace(/--[^\n]*/g, "")
		.replace(/'(?:[^']|'')*'/g, "''");
	// Tables created by this migration have no readers yet.
	const own = new Set([...bare.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/g)].map(([, name]) => name));
	return bare
		.split(";")
		.filter((statement) => {
			const on = /\b(?:alter\s+table\s+(?:only\s+)?|create\s+unique\s+index\s+\w+\s+on\s+)(\w+)/.exec(statement)?.[1];
			return on === undefined || !own.has(on);
		})
		.flatMap((statement) => statement.split(/,(?=\s*(?:add|alter|drop|rename)\b)/))
		.flatMap((step) => BREAKS.filter(([pattern]) => pattern.test(step)).map(([, why]) => why));
}

describe("a migration", () => {
	it.each([
		["alter table users drop column email", 1],
		["alter table users rename to people", 1],
		["alter table users rename column email to mail", 1],
		["alter table users alter column email type varchar(10)", 1],
		["alter table users alter column email set not null", 1],
		["alter table users add column age integer not null", 1],
		["alter table users add column a integer, add column b integer not null", 1],
		["alter table users add column a integer not null default 0, add column b integer not null", 1],
		["create unique index one on users (email)", 1],
		["alter table users add constraint one check (id > 0)", 1],
		["delete from users", 1],
		["drop table users", 1],
		["alter table users add column age integer", 0],
		["alter table users add column age integer not null default 0", 0],
		["alter table users add column age integer default 0 not null", 0],
		["alter table users add column age integer not null generated always as (1) stored", 0],
		["create index one on users (email)", 0],
		["drop index one", 0],
		["create table pets (id integer primary key); create unique index one on pets (id)", 0],
		["-- drop table users\ncomment on table users is 'drop table users'", 0],
	])("%s", (sql, count) => {
		expect(findProblems(sql)).toHaveLength(count);
	});

	it("leaves the version before its work", async () => {
		const all = await readMigrations(new URL("../../migrations/", import.meta.url));
		const wrong = all
			.filter(({ name }) => name.slice(0, 4) > FIRST_RELEASE)
			.flatMap(({ name, sql }) => findProblems(sql).map((why) => `${name}: ${why}`));
		expect(wrong).toEqual([]);
	});
});
