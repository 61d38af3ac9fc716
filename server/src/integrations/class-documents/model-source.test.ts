/** The driver against the simulated publishing site, a folder, and a simulated controller. */
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type RunningModelSource, startController, startModelSource } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createModelSource } from "./index.ts";
import { type Fetched, ModelSourceError, type OpenSource } from "./port.ts";

let site: RunningModelSource;
beforeAll(async () => {
	site = await startModelSource({ classes: 400, dnFormats: 500 });
});
afterAll(() => site.close());
afterEach(() => {
	site.clearFaults();
	site.resetStats();
});

/** A clock whose sleeps end at once. Each one is recorded, and advances the time. */
function createInstantClock() {
	const waits: number[] = [];
	let now = 0;
	return {
		waits,
		pacing: {
			now: () => now,
			async sleep(ms: number, signal: AbortSignal) {
				signal.throwIfAborted();
				waits.push(ms);
				now += ms;
			},
			random: () => 0.5,
		},
	};
}
const never = new AbortController().signal;

async function withSource<T>(
	work: (source: OpenSource, waits: number[]) => Promise<T>,
	{ keys = ["611", "601", "521"], timeoutMs = 5_000 } = {},
): Promise<T> {
	const { pacing, waits } = createInstantClock();
	const chain = keys.map((key) => ({ key, url: site.url }));
	const source = await createModelSource({ pacing, timeoutMs }).open({ kind: "remote", chain }, 4);
	return work(source, waits).finally(() => source.close());
}

function getText(fetched: Fetched): string {
	if (fetched.kind !== "found") throw new Error(`it was ${fetched.kind}`);
	return Buffer.from(fetched.encoding === "gzip" ? gunzipSync(fetched.body) : fetched.body).toString();
}
const countRequests = () => site.stats().requests;

describe("documents of the publishing site", () => {
	it("come as they are, compressed on the way, over connections that are kept", async () => {
		await withSource(async (source) => {
			const names = site.published("611").slice(0, 60);
			const found = await Promise.all(names.map((name) => source.fetch(name, never)));
			for (const [i, fetched] of found.entries()) {
				expect(fetched).toMatchObject({ kind: "found", key: "611", attempted: ["611"], status: 200, retries: 0 });
				expect(getText(fetched)).toBe(site.document("611", names[i] ?? ""));
			}
		});
		expect(countRequests()).toBe(60);
		expect(site.stats().maxConcurrent).toBeLessThanOrEqual(4);
	});

	it("are taken from an older version where the newest has none, and are missing where none has", async () => {
		const older = site.published("601").find((name) => site.document("611", name) === null) ?? "";
		await withSource(async (source) => {
			expect(await source.fetch(older, never)).toMatchObject({ kind: "found", key: "601", attempted: ["611", "601"] });
			expect(await source.fetch("fvNoSuch", never)).toEqual({
				kind: "missing",
				attempted: ["611", "601", "521"],
				status: 403,
				retries: 0,
			});
			expect(await source.fetch("not a class", never)).toMatchObject({ kind: "missing", attempted: [] });
		});
	});

	it.each([
		["403", { missing: { count: 1 } }],
		["404", { missing: { count: 1, status: 404 } }],
		["410", { missing: { count: 1, status: 410 } }],
		["a page for people", { html_page: { count: 1 } }],
	])("are looked for in the next version after %s", async (_name, faults) => {
		site.setFaults(faults);
		await withSource(async (source) => {
			expect(await source.fetch("fvBD", never)).toMatchObject({ kind: "found", key: "601", retries: 0 });
		});
	});

	it.each([
		["an error of the server", { server_error: { count: 3 } }, 3],
		["a reset connection", { reset: { count: 2 } }, 2],
		["a body that is cut off", { truncated_body: { count: 2 } }, 2],
	])("are asked for again after %s, later each time", async (_name, faults, retries) => {
		site.setFaults(faults);
		await withSource(async (source, waits) => {
			const fetched = await source.fetch("fvBD", never);
			expect(fetched).toMatchObject({ kind: "found", key: "611", retries });
			expect(getText(fetched)).toBe(site.document("611", "fvBD"));
			expect(waits).toHaveLength(retries);
			expect(waits).toEqual([...waits].sort((a, b) => a - b));
		});
	});

	it("are given up after five more tries, and say why", async () => {
		site.setFaults({ server_error: { status: 500 } });
		await withSource(async (source) => {
			expect(await source.fetch("fvBD", never)).toEqual({
				kind: "failed",
				attempted: ["611"],
				status: 500,
				retries: 5,
				message: "the source answered 500",
			});
		});
		site.setFaults({ server_error: false, hang: true });
		await withSource(
			async (source) => {
				const failed = await source.fetch("fvBD", never);
				expect(failed).toMatchObject({ kind: "failed", status: null, message: "the source did not answer in time" });
			},
			{ timeoutMs: 20 },
		);
	});

	it("are waited for as long as the source says, by the whole window", async () => {
		site.setFaults({ throttle: { per_second: 0, retry_after: 7, count: 1 } });
		await withSource(async (source, waits) => {
			expect(await source.fetch("fvBD", never)).toMatchObject({ kind: "found", retries: 1 });
			expect(waits[0]).toBe(7_000);
		});
		// More often than anything else may fail.
		site.setFaults({ throttle: { per_second: 0, retry_after: 1, count: 20 } });
		await withSource(async (source) => {
			expect(await source.fetch("fvBD", never)).toMatchObject({ kind: "found", retries: 20 });
		});
	});

	it("are asked for without compression after a 502, and soon always so", async () => {
		site.setFaults({ bad_gateway_compressed: true });
		await withSource(async (source, waits) => {
			for (const name of ["fvBD", "fvCtx", "fvTenant"]) {
				expect(await source.fetch(name, never)).toMatchObject({ kind: "found", encoding: "identity", retries: 1 });
			}
			const before = countRequests();
			expect(await source.fetch("fvAp", never)).toMatchObject({ kind: "found", retries: 0 });
			expect(countRequests()).toBe(before + 1);
			expect(waits).toEqual([]);
		});
	});

	it("are left when the run is", async () => {
		site.setFaults({ hang: true });
		await withSource(async (source) => {
			const leaving = new AbortController();
			const fetching = source.fetch("fvBD", leaving.signal);
			leaving.abort(new Error("enough"));
			await expect(fetching).rejects.toThrow("enough");
		});
	});
});

describe("documents of a folder", () => {
	const folders: string[] = [];
	afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

	async function findFolder(files: Record<string, string>): Promise<string> {
		const folder = await mkdtemp(join(tmpdir(), "weft-model-"));
		folders.push(folder);
		for (const [name, text] of Object.entries(files)) {
			await mkdir(dirname(join(folder, name)), { recursive: true });
			await writeFile(join(folder, name), text);
		}
		return folder;
	}
	const open = (path: string, chain: string[]) =>
		createModelSource(createInstantClock()).open({ kind: "folder", path, chain }, 1);

	it("are found as they were mirrored, by package, or flat, for every version where none is named", async () => {
		const path = await findFolder({
			"media/model-doc-611/docs/doc/jsonmeta/fv/Tenant.json": "new",
			"601/fv/Tenant.json": "old",
			"601/fv/BD.json": "older only",
			"fvCtx.json": "the readable file",
			"notes.json": "none",
			"fv/README.md": "none",
		});
		const source = await open(path, ["611", "601"]);
		expect([...source.seeds].sort()).toEqual(["fvBD", "fvCtx", "fvTenant"]);
		expect(getText(await source.fetch("fvTenant", never))).toBe("new");
		expect(await source.fetch("fvBD", never)).toMatchObject({ key: "601", attempted: ["611", "601"] });
		expect(getText(await source.fetch("fvCtx", never))).toBe("the readable file");
		expect(await source.fetch("fvAp", never)).toMatchObject({ kind: "missing", attempted: ["611", "601"] });
		const oldOnly = await open(path, ["601"]);
		expect(getText(await oldOnly.fetch("fvTenant", never))).toBe("old");
	});

	it("must be there", async () => {
		await expect(open("/no/such/folder", ["611"])).rejects.toThrow(ModelSourceError);
		await expect(open(await findFolder({ "readme.txt": "" }), ["611"])).rejects.toThrow(/holds no class documents/);
	});
});

describe("documents of a controller", () => {
	const keys = generateKeyPairSync("rsa", {
		modulusLength: 2_048,
		publicKeyEncoding: { type: "spki", format: "pem" },
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
	});
	const signed = { certificateDn: "uni/userext/user-weft/usercert-ci", privateKey: keys.privateKey };

	it("come signed with a certificate, without a login", async () => {
		await withController(async (source, lab) => {
			const fetched = await source.fetch("fvTenant", never);
			expect(fetched).toMatchObject({ kind: "found", key: "controller" });
			expect(await source.fetch("fvNothing", never)).toMatchObject({ kind: "missing" });
			expect(lab.stats().kinds.aaaLogin).toBeUndefined();
		}, signed);
	});

	it("do not come where the controller refuses the certificate", async () => {
		await withController(
			async (source) => {
				const failed = source.fetch("fvTenant", never);
				await expect(failed).rejects.toBeInstanceOf(ModelSourceError);
				await expect(failed).rejects.toThrow(/refuses the certificate or private key/);
			},
			{ ...signed, certificateDn: "uni/userext/user-weft/usercert-other" },
		);
	});

	async function withController<T>(
		work: (source: OpenSource, lab: Awaited<ReturnType<typeof startController>>) => Promise<T>,
		login: { readonly password: string } | { readonly certificateDn: string; readonly privateKey: string } = {
			password: "weft-lab",
		},
	): Promise<T> {
		const lab = await startController({
			size: "empty",
			documents: (name) => site.document("611", name),
			certificates: [{ user: "weft", name: "ci", pem: keys.publicKey }],
		});
		const target = {
			id: "1",
			revision: "1",
			url: lab.url,
			username: lab.username,
			...login,
			verifyTls: true,
			timeoutMs: 5_000,
		};
		const source = await createModelSource(createInstantClock()).open({ kind: "controller", target }, 4);
		try {
			return await work(source, lab);
		} finally {
			await source.close();
			await lab.close();
		}
	}

	it("come after one login, however many are asked for", async () => {
		await withController(async (source, lab) => {
			const names = ["fvTenant", "fvBD", "fvCtx", "fvAp", "fvAEPg"];
			const found = await Promise.all(names.map((name) => source.fetch(name, never)));
			for (const [i, fetched] of found.entries()) {
				expect(fetched).toMatchObject({ kind: "found", key: "controller" });
				expect(getText(fetched)).toBe(site.document("611", names[i] ?? ""));
			}
			expect(await source.fetch("fvNoSuch", never)).toMatchObject({ kind: "missing", status: 404 });
			expect(lab.stats().logins).toBe(1);
		});
	});

	it("say so when the login is refused", async () => {
		await withController(
			async (source) => {
				await expect(source.fetch("fvTenant", never)).rejects.toThrow(/refuses the username or password/);
			},
			{ password: "wrong" },
		);
	});
});
