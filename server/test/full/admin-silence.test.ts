/** A command whose store stops answering ends with a sentence and code 1. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runAdminStatement, runInDatabase } from "../support/database.ts";
import { runBuiltProgram } from "../support/process.ts";
import { type SilentProxy, startSilentProxy } from "../support/silent-proxy.ts";
import { addPort, storeAddress } from "../support/store-address.ts";

const database = `weft_silent_${randomBytes(6).toString("hex")}`;
const SECRET_KEY = "a secret key that only tests use";
let folder: string;
let file: string;
let proxy: SilentProxy;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-silent-"));
	file = join(folder, "one.weft.gz");
	await runAdminStatement(inject("connection"), `create database ${database} template ${inject("template")}`);
	await runAdminStatement(inject("connection"), `create database ${database}_new`);
	proxy = await startSilentProxy(storeAddress());
	expect(await runAdmin(["backup", file])).toMatchObject({ code: 0 });
});
afterAll(async () => {
	await proxy.close();
	await runAdminStatement(inject("connection"), `drop database ${database} with (force)`);
	await runAdminStatement(inject("connection"), `drop database ${database}_new with (force)`);
	await rm(folder, { recursive: true, force: true });
});

async function runAdmin(args: string[], name = database) {
	const { connectionString = "", host, port, user } = addPort(runInDatabase(inject("connection"), name), proxy.port);
	const WEFT_DATABASE_URL = connectionString || `postgres://${user}@${host}:${port}/${name}`;
	const { ended, output } = runBuiltProgram(
		"admin",
		join(folder, "unused"),
		{ WEFT_DATABASE_URL, WEFT_SECRET_KEY: SECRET_KEY },
		args,
	);
	return { code: await ended, ...output };
}

/** Bytes that the store sends before it goes silent: at the start, and while tables are copied. */
const BEFORE = 1;
const COPYING = 5_000;

describe("a store that stands still", () => {
	it.each([
		["create-user", ["ada"], database, BEFORE],
		["audit-verify", [], database, BEFORE],
		["audit-renew-key", [], database, BEFORE],
		["verify-snapshots", [], database, BEFORE],
		["rotate-key", [], database, BEFORE],
		["doctor", [], database, BEFORE],
		["backup", ["FILE"], database, BEFORE],
		["backup", ["FILE"], database, COPYING],
		["restore", ["one.weft.gz"], `${database}_new`, BEFORE],
		["restore", ["one.weft.gz"], `${database}_new`, COPYING],
	] as const)("ends %s %j in %s after %i bytes", async (command, words, name, bytes) => {
		const files = command === "backup" || command === "restore";
		proxy.silenceAfter(bytes);
		const { code, stdout, stderr } = await runAdmin(
			[command, ...words.map((word) => (files ? join(folder, word) : word))],
			name,
		);
		proxy.resume();
		const said = command === "doctor" ? stdout : stderr;
		expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/store|timeout|terminated/i) });
	});
});
