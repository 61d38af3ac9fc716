/** The simulators as a process. It runs the build, which `npm test` brings up to date first. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeCertificate } from "./certificate.ts";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const built = existsSync(MAIN);
if (!built) process.stderr.write("lab process: skipped, there is no build\n");

const hasOpenssl = await promisify(execFile)("openssl", ["version"]).then(
	() => true,
	() => false,
);
if (!hasOpenssl) process.stderr.write("lab over TLS: skipped, there is no openssl\n");

function startProgram(env: Readonly<Record<string, string>>) {
	const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH ?? "", ...env } });
	let [out, err] = ["", ""];
	child.stdout.on("data", (data) => {
		out += data;
	});
	child.stderr.on("data", (data) => {
		err += data;
	});
	const exit = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
		child.once("close", (code) => resolve({ code, out, err })),
	);
	const ready = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
	return { child, exit, ready: Promise.race([ready, exit]), out: () => out };
}

describe.skipIf(!built)("the lab as a process", () => {
	it.each(["SIGTERM", "SIGINT"] as const)("says one line when ready, serves, and ends on %s", async (signal) => {
		const lab = startProgram({ LAB_CONTROLLER_PORT: "0", LAB_AUTOMATION_PORT: "0", LAB_MODEL_SOURCE_PORT: "0" });
		await lab.ready;
		const said = JSON.parse(lab.out());
		expect(said).toEqual({
			ready: true,
			controller: {
				url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
				username: "admin",
				password: "weft-lab",
				members: [expect.any(String)],
			},
			automation: {
				url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
				username: "admin",
				password: "weft-lab",
				token: "weft-lab-automation-token",
			},
			model_source: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), keys: ["611", "601", "521"] },
		});
		expect((await fetch(`${said.controller.url}/_lab/health`)).status).toBe(200);
		lab.child.kill(signal);
		expect(await lab.exit).toEqual({ code: 0, out: expect.stringMatching(/^[^\n]+\n$/), err: "" });
	});

	it("serves fabrics with identities of their own, and tenants that are partly equal", async () => {
		const ports = { LAB_CONTROLLER_PORT: "0", LAB_AUTOMATION_PORT: "0", LAB_MODEL_SOURCE_PORT: "0" };
		const lab = startProgram({ ...ports, LAB_FABRICS: "2" });
		await lab.ready;
		const { controller, other_controllers } = JSON.parse(lab.out());
		const fabrics = await Promise.all(
			[controller, ...other_controllers].map(async ({ url, username, password }) => {
				const body = JSON.stringify({ aaaUser: { attributes: { name: username, pwd: password } } });
				const login = await fetch(`${url}/api/aaaLogin.json`, { method: "POST", body });
				const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
				const values = async (className: string, attribute: string): Promise<string[]> => {
					const answer = await fetch(`${url}/api/class/${className}.json`, { headers: { cookie } });
					const { imdata } = (await answer.json()) as {
						imdata: Record<string, { attributes: Record<string, string> }>[];
					};
					return imdata.map((row) => row[className]?.attributes[attribute] ?? "");
				};
				return {
					domains: new Set(await values("infraCont", "fbDmNm")),
					serials: await values("fabricNode", "serial"),
					nodes: await values("fabricNode", "id"),
					tenants: await values("fvTenant", "name"),
				};
			}),
		);
		const [one, two] = fabrics;
		if (one === undefined || two === undefined) throw new Error("there are not two fabrics");
		expect([one.domains, two.domains]).toEqual([new Set(["weft-fabric"]), new Set(["weft-fabric-2"])]);
		expect(one.serials.filter((serial) => two.serials.includes(serial))).toEqual([]);
		expect([one.nodes.includes("101"), two.nodes.includes("101"), two.nodes.includes("201")]).toEqual([
			true,
			false,
			true,
		]);
		expect(one.tenants.filter((name) => !two.tenants.includes(name))).toHaveLength(1);
		expect(two.tenants.filter((name) => !one.tenants.includes(name))).toHaveLength(1);
		lab.child.kill("SIGTERM");
		expect((await lab.exit).code).toBe(0);
	});

	it("serves the members of a cluster, each with its own faults", async () => {
		const ports = { LAB_CONTROLLER_PORT: "0", LAB_AUTOMATION_PORT: "0", LAB_MODEL_SOURCE_PORT: "0" };
		const lab = startProgram({ ...ports, LAB_CONTROLLERS: "3" });
		await lab.ready;
		const { members, url } = JSON.parse(lab.out()).controller;
		expect(members).toHaveLength(3);
		expect(members[0]).toBe(url);
		await fetch(`${url}/_lab/faults?member=2`, { method: "POST", body: '{"down":true}' });
		await expect(fetch(`${members[1]}/_lab/health`)).rejects.toThrow();
		await fetch(`${url}/_lab/faults?member=2`, { method: "POST", body: '{"down":false}' });
		expect((await fetch(`${members[1]}/_lab/health`)).status).toBe(200);
		lab.child.kill("SIGTERM");
		expect((await lab.exit).code).toBe(0);
	});

	it("refuses bad settings, all in one message", async () => {
		const { code, out, err } = await startProgram({ LAB_SIZE: "huge", LAB_CONTROLLER_PORT: "x" }).exit;
		expect({ code, out }).toEqual({ code: 1, out: "" });
		expect(err).toMatch(/LAB_CONTROLLER_PORT[\s\S]*LAB_SIZE/);
	});

	it.skipIf(!hasOpenssl)("serves HTTPS with a certificate of its own", async () => {
		const lab = startProgram({
			LAB_CONTROLLER_PORT: "0",
			LAB_AUTOMATION_PORT: "0",
			LAB_MODEL_SOURCE_PORT: "0",
			LAB_TLS: "on",
		});
		await lab.ready;
		const { url } = JSON.parse(lab.out()).controller;
		expect(url).toMatch(/^https:/);
		const ask = (rejectUnauthorized: boolean) =>
			new Promise<number | undefined>((resolve, reject) => {
				request(`${url}/_lab/health`, { rejectUnauthorized }, (response) => {
					response.resume();
					resolve(response.statusCode);
				})
					.on("error", reject)
					.end();
			});
		expect(await ask(false)).toBe(200);
		await expect(ask(true)).rejects.toThrow(/self-signed/);
		lab.child.kill("SIGTERM");
		expect((await lab.exit).code).toBe(0);
	});
});

it("without openssl TLS is refused in so many words", async () => {
	await expect(makeCertificate("no-such-command-at-all")).rejects.toThrow(
		"LAB_TLS=on needs the openssl command to make a certificate: it is not installed",
	);
});
