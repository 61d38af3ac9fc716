/** The published packages work in an empty folder, and the examples of the client compile there. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../server/src/core/system/clock.ts";
import { startTestApp, TEST_PASSWORD, type TestApp } from "../../server/test/support/harness.ts";
import { NPM_SETTINGS, npm, packWorkspace, root } from "../../server/test/support/packed.ts";

const execute = promisify(execFile);

let folder: string;
let t: TestApp;
let url: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-package-"));
	t = await startTestApp({ deps: { clock: systemClock } });
	url = `http://127.0.0.1:${(t.app.server.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
	await t.close();
	await rm(folder, { recursive: true });
});

/** Installs the tarball of a workspace into a folder of its own. */
async function installWorkspace(workspace: string): Promise<{ place: string; files: string[] }> {
	const { tarball, files } = await packWorkspace(workspace, folder);
	const place = join(folder, workspace);
	await mkdir(place);
	await writeFile(join(place, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
	await execute(npm, ["install", tarball], { cwd: place, env: { ...process.env, ...NPM_SETTINGS } });
	return { place, files };
}

describe("@weft/sdk", () => {
	let place: string;
	let files: string[];
	beforeAll(async () => {
		({ place, files } = await installWorkspace("sdk"));
	});

	it("has the bundle, its types and a README, and needs zod alone", async () => {
		expect(files).toEqual(
			expect.arrayContaining(["README.md", "bundle/index.js", "bundle/index.d.ts", "package.json"]),
		);
		expect(
			files.filter((path) => !/^(README\.md|package\.json|bundle\/(LICENSE|[\w/-]+\.(js|d\.ts)))$/.test(path)),
		).toEqual([]);
		expect((await readdir(join(place, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
			"@weft",
			"zod",
		]);
		expect(await readdir(join(place, "node_modules/@weft"))).toEqual(["sdk"]);
	});

	it("signs in and lists", async () => {
		const program = `
			import { createClient } from "@weft/sdk";
			import { allRoutes } from "@weft/sdk/contracts";
			const client = createClient({ baseUrl: ${JSON.stringify(url)} });
			await client.signIn("root", ${JSON.stringify(TEST_PASSWORD)});
			const names = [];
			for await (const { name } of client.each(client.routes.groups.list)) names.push(name);
			console.log(JSON.stringify({ names, routes: allRoutes.length }));
		`;
		await writeFile(join(place, "list.mjs"), program);
		const { stdout } = await execute(process.execPath, ["list.mjs"], { cwd: place });
		const { names, routes } = JSON.parse(stdout);
		expect(names).toContain("Editor");
		expect(routes).toBeGreaterThan(100);
	});

	it("compiles strictly with the examples of the README", async () => {
		const readme = await readFile(join(place, "node_modules/@weft/sdk/README.md"), "utf8");
		const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
		expect(examples).toHaveLength(3);
		await Promise.all(examples.map((text, i) => writeFile(join(place, `example-${i}.ts`), text)));
		const wrong = `import { createClient } from "@weft/sdk";
			const client = createClient({ baseUrl: "" });
			for await (const query of client.each(client.routes.savedQueries.list)) {
				// @ts-expect-error The type knows the fields.
				query.nothing;
			}
			// @ts-expect-error The body is missing.
			await client.call(client.routes.connections.create);
		`;
		await writeFile(join(place, "wrong.ts"), wrong);
		const compilerOptions = {
			strict: true,
			exactOptionalPropertyTypes: true,
			skipLibCheck: false,
			noEmit: true,
			target: "ES2023",
			module: "NodeNext",
			lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
			types: ["node"],
			typeRoots: [join(root, "node_modules/@types")],
		};
		await writeFile(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
		const compiler = join(root, "node_modules/typescript/bin/tsc");
		const output = await execute(process.execPath, [compiler, "-p", place]).then(
			({ stdout }) => stdout,
			({ stdout }: { stdout: string }) => stdout,
		);
		expect(output).toBe("");
	});
});

describe("@weft/cli", () => {
	it("starts without schemas", async () => {
		const bundle = join(root, "cli/bundle");
		const loaded = new Map<string, string>();
		const load = async (name: string): Promise<void> => {
			if (loaded.has(name)) return;
			const text = await readFile(join(bundle, name), "utf8");
			loaded.set(name, text);
			const imports = [...text.matchAll(/\bimport\s*(?:[\w{}$,* ]+from)?\s*"\.\/([\w.-]+)"/g)];
			await Promise.all(imports.map(([, file = ""]) => load(file)));
		};
		await load("weft.js");
		expect([...loaded.values()].join("")).toContain("/api/queries/saved-queries/");
		expect([...loaded].filter(([, text]) => text.includes("$Zod")).map(([name]) => name)).toEqual([]);
	});

	it("is one program without dependencies that signs in and lists", async () => {
		const { place, files } = await installWorkspace("cli");
		expect(files).toEqual(
			expect.arrayContaining(["README.md", "bundle/weft.js", "bundle/LICENSE", "bundle/THIRD-PARTY.txt"]),
		);
		expect((await readdir(join(place, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["@weft"]);
		const weft = join(place, "node_modules/.bin/weft");
		const env = { ...process.env, XDG_CONFIG_HOME: place, WEFT_URL: url };
		const login = execute(weft, ["login", "--username", "root", "--password-stdin"], { env });
		login.child.stdin?.end(TEST_PASSWORD);
		expect((await login).stderr).toBe(`Signed in to ${url} as root.\n`);
		const { stdout } = await execute(weft, ["status", "--format", "json"], { env });
		expect(JSON.parse(stdout)).toMatchObject({ username: "root", is_admin: true });
	});
});
