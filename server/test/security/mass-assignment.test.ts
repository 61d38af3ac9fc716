/**
 * Fields that callers must not set. Two services get the same calls; for one of them each call also
 * has every column of the store and every response field that its body lacks. Afterwards both
 * stores are equal.
 */
import { allRoutes, type RouteContract } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Ids } from "../../src/core/ports/ids.ts";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { type Answer, startTestApp, type TestApp } from "../support/harness.ts";
import { type Call, createWorld, NEEDS_MORE, VALID_CALLS, type World } from "../support/valid-calls.ts";

/** The same ids in the same order, so that the two can be compared. */
function createCountedIds(): Ids {
	let n = 0;
	const hex = (length: number) => (++n).toString(16).padStart(length, "0");
	return {
		uuid: () => `01890000-0000-7000-8000-${hex(12)}`,
		token: (bytes) => Buffer.from(hex(bytes * 2), "hex").toString("base64url"),
	};
}

let clean: World;
let other: World;
const apps: TestApp[] = [];
let columns: { name: string; type: string }[];
beforeAll(async () => {
	for (let i = 0; i < 2; i++) apps.push(await startTestApp({ deps: { ids: createCountedIds() } }));
	const [first, second] = apps as [TestApp, TestApp];
	[clean, other] = [await createWorld(first), await createWorld(second)];
	({ rows: columns } = await first.pool.query(
		`select column_name as name, min(data_type) as type from information_schema.columns
			where table_schema = 'public' and data_type <> 'bytea' group by column_name order by column_name`,
	));
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

const writable = allRoutes.filter((route) => route.body && route.method !== "GET");
const MARK = "mass-assigned";
const NUMBER = 424_242;

type Shape = { properties?: Record<string, Shape>; anyOf?: Shape[]; oneOf?: Shape[] };
/** The fields of an object, over all forms it may have. */
function getFields(schema: z.ZodType, io: "input" | "output"): string[] {
	const collect = (shape: Shape): string[] => [
		...Object.keys(shape.properties ?? {}),
		...[...(shape.anyOf ?? []), ...(shape.oneOf ?? [])].flatMap(collect),
	];
	return collect(z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Shape);
}

function buildPoison(type: string, flag: boolean): unknown {
	if (type === "boolean") return flag;
	if (/int|numeric|double/.test(type)) return NUMBER;
	if (type.startsWith("timestamp")) return "1999-01-01T00:00:00Z";
	if (type === "date") return "1999-01-01";
	if (type === "uuid") return "99999999-9999-7999-8999-999999999999";
	if (type === "ARRAY") return [MARK];
	if (type.startsWith("json")) return { [MARK]: NUMBER };
	return MARK;
}

/** What a body must not be able to set, by name. */
function buildForeignFields(route: RouteContract, answer: unknown, flag: boolean): Record<string, unknown> {
	const own = new Set(getFields(route.body as z.ZodType, "input"));
	const answered = typeof answer === "object" && answer !== null ? Object.entries(answer) : [];
	const all = [
		...columns.map(({ name, type }) => [name, buildPoison(type, flag)] as const),
		...["owner", "owner_id", "is_admin", "is_staff", "role", "groups", "permissions", "sid", "token_type"].map(
			(name) => [name, flag] as const,
		),
		...answered.map(([name, value]) => [name, makeDifferent(value)] as const),
	];
	return Object.fromEntries(all.filter(([name]) => !own.has(name)));
}

function makeDifferent(value: unknown): unknown {
	if (typeof value === "boolean") return !value;
	if (typeof value === "number") return NUMBER;
	if (Array.isArray(value)) return [NUMBER];
	if (typeof value === "object" && value !== null) return { id: NUMBER, username: MARK };
	return MARK;
}

async function sendCall(
	world: World,
	call: Call,
	route: RouteContract,
	extra: Record<string, unknown>,
): Promise<Answer> {
	const api = { admin: world.t.admin.api, user: world.user.api, nobody: world.t.anonymous }[call.as];
	return api.send(route.method, call.path, JSON.stringify({ ...extra, ...call.body }), {
		"content-type": "application/json",
		"x-request-id": route.id,
	});
}

/** Random values, which differ in every run. */
const RANDOM = /^(.*_sealed|password_hash|token_hash|secret_hash|prefix|code_hash|request_id)$/;

/** Not compared: times of migrations, and counters whose rows depend on the connection. */
const NOT_COMPARED = new Set(["weft_migrations", "execution_log_counts", "scheduled_execution_counts"]);

/** Warnings without the one that names the fields which were ignored. */
const withoutIgnored = (warnings: unknown): unknown =>
	Array.isArray(warnings) ? warnings.filter(({ code }) => code !== "unknown_fields") : warnings;

/** All rows of all tables. */
async function dumpTables({ pool }: TestApp): Promise<string[]> {
	const { rows: tables } = await pool.query(
		"select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
	);
	const all: string[] = [];
	for (const { name } of tables) {
		if (NOT_COMPARED.has(name)) continue;
		const { rows } = await pool.query(`select to_jsonb(t) as row from "${name}" t`);
		for (const { row } of rows) {
			for (const key of Object.keys(row)) if (RANDOM.test(key)) row[key] = "random";
			if ("warnings" in row) row.warnings = withoutIgnored(row.warnings);
			all.push(`${name} ${JSON.stringify(row)}`);
		}
	}
	return all.sort();
}

/** Rows that only one of the two has, and rows of the second one with a planted value. */
async function listDifferences(): Promise<string[]> {
	const [ours, theirs] = [await dumpTables(clean.t), await dumpTables(other.t)];
	const known = [new Set(ours), new Set(theirs)] as const;
	return [
		...ours.filter((row) => !known[1].has(row)).map((row) => `expected ${row}`),
		...theirs.filter((row) => !known[0].has(row)).map((row) => `found ${row}`),
		...theirs.filter((row) => row.includes(MARK) || row.includes(String(NUMBER))).map((row) => `planted ${row}`),
	];
}

const withoutSecrets = ({ status, body }: Answer): string =>
	JSON.stringify([status, body], (key, value) =>
		/^(access|refresh|token|prefix|backup_codes|request_id|duration_ms|execution_time_ms)$/.test(key)
			? "random"
			: key === "warnings"
				? withoutIgnored(value)
				: value,
	);

const callable = Object.keys(VALID_CALLS).map((id) => ({ id }));
const LONG = { timeout: ALL_ROUTES_TIMEOUT_MS };

describe("mass assignment", () => {
	it("is tried on every route that takes a body", () => {
		const known = [...Object.keys(VALID_CALLS), ...Object.keys(NEEDS_MORE)];
		expect(writable.map(({ id }) => id).sort()).toEqual(known.sort());
		expect(columns.length).toBeGreaterThan(150);
	});

	it("would be seen: a changed column makes the stores differ", async () => {
		expect(await listDifferences()).toEqual([]);
		await other.t.pool.query("update users set is_superuser = true where username = 'mallory'");
		expect(await listDifferences()).toHaveLength(2);
		await other.t.pool.query("update users set is_superuser = false where username = 'mallory'");
	});

	async function sendUnknownFields(id: string): Promise<void> {
		const route = allRoutes.find((candidate) => candidate.id === id);
		const right = VALID_CALLS[id];
		if (route === undefined || right === undefined) throw new Error(`there is no route ${id}`);
		for (const flag of [true, false]) {
			const [call, same] = [await right(clean), await right(other)];
			const expected = await sendCall(clean, call, route, {});
			// A second time some answer that the name is taken: then both do.
			if (flag)
				expect([id, call.status ?? [200, 201, 204]]).toEqual([
					id,
					call.status ?? expect.arrayContaining([expected.status]),
				]);
			const extra = buildForeignFields(route, expected.body, flag);
			expect(Object.keys(extra).length).toBeGreaterThan(100);
			const answer = await sendCall(other, same, route, extra);
			expect(withoutSecrets(answer)).toEqual(withoutSecrets(expected));
			expect(await listDifferences()).toEqual([]);
		}
	}

	it("changes nothing through any route that takes a body", LONG, async () => {
		await expectOfEachRoute(callable, ({ id }) => sendUnknownFields(id));
	});
});
