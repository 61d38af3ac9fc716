/** The packages of a release, in folders that have nothing else. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { countQuestions, listQuestionFiles } from "../support/gallery-service.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { NPM_SETTINGS, npm, root } from "../support/packed.ts";

const execute = promisify(execFile);
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WEFT_")));

let folder: string;
let names: string[];
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-release-"));
	await execute(process.execPath, ["scripts/run.mjs", "release", "--dry-run", "--folder", folder], { cwd: root });
	names = await readdir(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const findTarball = (name: string): string => {
	const found = names.find((file) => file.startsWith(`weft-${name}-`) && file.endsWith(".tgz"));
	if (found === undefined) throw new Error(`There is no package of ${name} among ${names.join(", ")}.`);
	return join(folder, found);
};

/** Makes an empty folder. */
async function emptyFolder(name: string): Promise<string> {
	const place = join(folder, name);
	await mkdir(place);
	return place;
}

describe("a release", () => {
	it("has four packages, a bill of materials, and the checksums of all", async () => {
		expect(names.toSorted().map((name) => name.replace(/-\d+\.\d+\.\d+/, ""))).toEqual([
			"SHA256SUMS",
			"weft.cdx.json",
			"weft-cli.tgz",
			"weft-lab.tgz",
			"weft-sdk.tgz",
			"weft-server.tgz",
		]);
		const sums = (await readFile(join(folder, "SHA256SUMS"), "utf8")).trim().split("\n");
		expect(sums).toHaveLength(names.length - 1);
		for (const line of sums) {
			const [digest = "", name = ""] = line.split("  ");
			expect(
				createHash("sha256")
					.update(await readFile(join(folder, name)))
					.digest("hex"),
				name,
			).toBe(digest);
		}
	});

	it("lists what the service needs at run time, each with its licence", async () => {
		const name = names.find((file) => file.endsWith(".cdx.json")) ?? "";
		const bill = JSON.parse(await readFile(join(folder, name), "utf8"));
		expect(bill).toMatchObject({ bomFormat: "CycloneDX" });
		const components: { name: string; licenses?: unknown[] }[] = bill.components;
		const listed = components.map((component) => component.name);
		expect(listed).toEqual(expect.arrayContaining(["fastify", "pg", "react", "vue", "zod"]));
		expect(
			listed.filter((name) => ["vitest", "redoc", "@scarf/scarf", "node-fetch", "autocannon"].includes(name)),
		).toEqual([]);
		expect(components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)).toEqual([]);
	});

	it("has the file of each question of the gallery, and no fixture", async () => {
		const { stdout } = await execute("tar", ["-tzf", findTarball("server")]);
		const packed = stdout.split("\n").filter((path) => path.startsWith("package/gallery/"));
		const files = await listQuestionFiles();
		expect(packed.toSorted()).toEqual(files.map((name) => `package/gallery/${name}`).toSorted());
	});

	it("has programs without their sources", async () => {
		const { stdout } = await execute("tar", ["-tzf", findTarball("server")]);
		const files = stdout.trim().split("\n");
		expect(files).toEqual(
			expect.arrayContaining([
				"package/dist/main.js",
				"package/web/index.html",
				"package/help/LICENSES.txt",
				"package/LICENSE",
			]),
		);
		expect(files.filter((path) => /(^|[^d])\.ts$|\.map$|\.test\./.test(path))).toEqual([]);
	});
});

describe("npx", () => {
	it("runs the demo to its end in an empty folder", async () => {
		const cwd = await emptyFolder("demo");
		const env = { ...environment, ...NPM_SETTINGS, WEFT_PORT: "0" };
		const packed = findTarball("server");
		await copyFile(packed, join(cwd, basename(packed)));
		const { stdout } = await execute("npx", ["--yes", `./${basename(packed)}`, "demo", "--exit"], { cwd, env });
		expect(stdout).toMatch(/8 {2}A launched change[\s\S]*2 added, 0 deleted, 0 modified/);
		expect((await readdir(cwd)).toSorted()).toEqual(["data", basename(packed)]);
	});
});

describe("the installed programs", () => {
	let place: string;
	beforeAll(async () => {
		place = await emptyFolder("installed");
		const env = { ...environment, ...NPM_SETTINGS };
		await execute(npm, ["install", findTarball("server"), findTarball("lab")], { cwd: place, env });
	});

	const start = (program: string, args: string[], settings: Record<string, string> = {}) =>
		execute(join(place, "node_modules/.bin", program), args, { cwd: place, env: { ...environment, ...settings } });

	it("serve the web interface, the documents, the API's documentation, and the gallery", async () => {
		const port = String(await freePort());
		const service = start("weft-server", [], { WEFT_PORT: port, WEFT_ADMIN_PASSWORD: TEST_PASSWORD });
		const get = (path: string) =>
			fetch(`http://127.0.0.1:${port}${path}`).then(
				async (answer) => ({ status: answer.status, body: await answer.text() }),
				() => null,
			);
		try {
			const page = await waitUntil("the service answers", () => get("/"));
			expect(page).toMatchObject({ status: 200, body: expect.stringContaining("<title>Weft") });
			expect(await get("/help/checks")).toMatchObject({ status: 200, body: expect.stringContaining("Checks") });
			for (const path of ["swagger-ui-bundle.js", "swagger-ui.css", "redoc.standalone.js"]) {
				expect((await get(`/api/docs-assets/${path}`))?.status, path).toBe(200);
			}
			expect(await countQuestions(`http://127.0.0.1:${port}`)).toBe((await listQuestionFiles()).length);
		} finally {
			service.child.kill("SIGTERM");
			await service;
		}
	});

	it("administer the store, and name a command that they do not have", async () => {
		expect((await start("weft-server", ["admin", "--help"])).stdout).toMatch(/create-user NAME/);
		expect((await start("weft-server", ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
		await expect(start("weft-server", ["dem"])).rejects.toMatchObject({
			code: 2,
			stderr: expect.stringContaining('There is no command "dem".'),
		});
	});

	it("simulate a controller and an automation server", async () => {
		const lab = start("weft-lab", [], { LAB_CONTROLLER_PORT: "0", LAB_MODEL_SOURCE_PORT: "0" });
		let shown = "";
		lab.child.stdout?.on("data", (text) => {
			shown += text;
		});
		await waitUntil("the simulators are ready", () => shown.includes("\n") || null);
		lab.child.kill("SIGTERM");
		await lab;
		expect(JSON.parse(shown)).toMatchObject({ ready: true, controller: { username: "admin" } });
	});
});
