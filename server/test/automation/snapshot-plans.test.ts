/** Requests that named the query of their snapshots before these were change windows. */
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { buildSnapshotPlan } from "../../src/areas/windows/rules/snapshot-plan.ts";
import { migrateSchema, readMigrations } from "../../src/storage/postgres/migrate.ts";
import { runAdminStatement, runInDatabase } from "../support/database.ts";

const DATABASE = `weft_snapshot_plans_${process.pid}`;
const FIRST_NEW = "0117";
const QUERY = "0198a0a0-0000-7000-8000-000000000001";
const TARGET = "0198a0a0-0000-7000-8000-000000000002";

let pool: pg.Pool;
beforeAll(async () => {
	await runAdminStatement(inject("connection"), `create database ${DATABASE}`);
	pool = new pg.Pool({ ...runInDatabase(inject("connection"), DATABASE), max: 2 });
});
afterAll(async () => {
	await pool.end();
	await runAdminStatement(inject("connection"), `drop database if exists ${DATABASE} with (force)`);
});

const insertRequest = async (status: string, template: object, query: string | null): Promise<string> => {
	const { rows } = await pool.query(
		`insert into automation_requests (id, title, status, template_name, template_snapshot, connection_id, connection_name,
			input_data, row_count, check_mode, requires_approval, requested_by, requested_at, created_at, updated_at,
			watch_query_id, target_controller_id)
		values (gen_random_uuid(), 'T', $1, 'T', $2, gen_random_uuid(), 'c', '[]', 0, false, false, 'ada', now(), now(), now(),
			$3, $4) returning id`,
		[status, JSON.stringify(template), query, TARGET],
	);
	return rows[0].id;
};

it("gives requests of earlier versions the plan that a new one has, whatever their status", async () => {
	const migrations = await readMigrations(new URL("../../migrations/", import.meta.url));
	await migrateSchema(
		pool,
		migrations.filter(({ name }) => name < FIRST_NEW),
	);
	const expects = [{ change: "added", class_name: "fvBD", dn: "uni/tn-{tenant}" }];
	const reported = await insertRequest("successful", { columns: [] }, QUERY);
	const declared = await insertRequest("approved", { columns: [], expects }, QUERY);
	const plain = await insertRequest("pending", { columns: [] }, null);
	await migrateSchema(pool, migrations);
	const { rows } = await pool.query("select id, change_plan from automation_requests");
	const plans = new Map(rows.map(({ id, change_plan }) => [id, change_plan]));
	expect(plans.get(reported)).toEqual(buildSnapshotPlan(QUERY, false));
	expect(plans.get(declared)).toEqual(buildSnapshotPlan(QUERY, true));
	expect(plans.get(plain)).toBeNull();
});
