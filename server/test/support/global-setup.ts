/**
 * Starts one PostgreSQL for the whole test run (the embedded one, unless WEFT_TEST_DATABASE_URL
 * names another), with a migrated database that each service of a test clones.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { startPgBoss } from "../../src/storage/jobs/pg-boss.ts";
import { migrateSchema, readMigrations } from "../../src/storage/postgres/migrate.ts";
import { buildBundles } from "./bundles.ts";
import { runAdminStatement, runInDatabase } from "./database.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** How to reach the server. */
		connection: pg.ClientConfig;
		/** Name of the migrated database. */
		template: string;
	}
}

/**
 * The databases of tests end with the run: nothing need survive a crash of the machine, and none
 * grows enough to be vacuumed. Tests about durability start services with stores of their own.
 */
const POSTGRES_SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "off" };

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	// Worker threads and child processes run the build. `npx vitest` alone does not refresh it.
	const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
	execFileSync(process.execPath, [compiler, "-b"], { cwd: new URL("../../..", import.meta.url), stdio: "inherit" });
	await buildBundles();
	const external = process.env.WEFT_TEST_DATABASE_URL;
	const dataDir = await mkdtemp(join(tmpdir(), "weft-test-"));
	const embedded = external
		? null
		: await startEmbeddedPostgres({ dataDir, log: () => {}, settings: POSTGRES_SETTINGS });
	const connection: pg.ClientConfig = embedded ? { ...embedded.connection } : { connectionString: external };
	const template = `weft_template_${process.pid}`;
	await runAdminStatement(connection, `create database ${template}`);
	const target = runInDatabase(connection, template);
	const pool = new pg.Pool({ ...target, max: 1 });
	await migrateSchema(pool, await readMigrations(new URL("../../migrations/", import.meta.url)));
	await pool.end();
	const jobs = await startPgBoss({ connection: target, log: silent });
	await jobs.stop(0);
	project.provide("connection", connection);
	project.provide("template", template);
	return async () => {
		await runAdminStatement(connection, `drop database if exists ${template} with (force)`);
		await embedded?.stop();
		await rm(dataDir, { recursive: true, force: true });
	};
}
