/**
 * The class model: import of 15,000 classes against a bare loop over the same documents; explorer
 * answers against a bare route; search; memory; start with a model; blocking time of a switch.
 */
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { authRoutes, mimClassRoutes, mimRegistryRoutes, mimRoutes, systemRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import autocannon from "autocannon";
import { Pool } from "undici";
import { startProgram } from "./child.ts";
import { runAtOnce } from "./lab.ts";
import {
	computeMedian,
	computeP95,
	measureTime,
	PASSWORD,
	printFigure,
	readTreeMemory,
	startService,
} from "./tools.ts";

const CLASSES = 15_000;
const CONCURRENCY = 10;
/** Number of imports, each by a new service, in turns with bare loops: times vary by half. */
const IMPORTS = 3;
const ROUNDS = 5;
const SEARCH_RATE = 50;
const SEARCHES = 500;
const SWITCHES = 6;

const lab = await startProgram("../../lab/dist/main.js", {
	env: { LAB_CONTROLLER_PORT: "0", LAB_MODEL_SOURCE_PORT: "0", LAB_MODEL_CLASSES: String(CLASSES) },
});
const { url: site } = JSON.parse(lab.line).model_source;
const env = {
	WEFT_MODEL_SOURCE_URL: site,
	WEFT_MODEL_VERSIONS: JSON.stringify([{ key: "611", label: "6.1(1)", class_count: CLASSES }]),
};

/** Imports and waits, asking seldom; its time is by the service's own clock. */
async function installModel(client: WeftClient): Promise<{ id: string; ms: number }> {
	const body = { version_key: "611", concurrency: CONCURRENCY, source: "remote" as const };
	const { run_id } = await client.call(mimRegistryRoutes.install, { body });
	for (;;) {
		await pause(1_000);
		const { run } = await client.call(mimRegistryRoutes.run, { params: { run_id } });
		if (run.state === "failed" || run.state === "cancelled") throw new Error(`the import has ${run.state}`);
		if (run.state !== "completed") continue;
		const ms = Date.parse(run.finished_at ?? "") - Date.parse(run.started_at ?? run.created_at);
		return { id: run_id, ms };
	}
}

/** Fetches all documents once, so that neither side waits for the lab to generate them. */
async function makeReady(): Promise<void> {
	const folder = `${site}/media/model-doc-611/docs/doc/jsonmeta`;
	const index = (await (await fetch(`${folder}/aci-meta.json`)).json()) as { classes: Record<string, unknown> };
	const names = Object.keys(index.classes);
	const pool = new Pool(site, { connections: CONCURRENCY });
	await runAtOnce(CONCURRENCY, names.length, async (at) => {
		const path = `${new URL(folder).pathname}/${String(names[at]).replace(/(?=[A-Z])/, "/")}.json`;
		const { body } = await pool.request({ method: "GET", path, headers: { "accept-encoding": "gzip" } });
		await body.dump({ limit: Number.MAX_SAFE_INTEGER });
	});
	await pool.close();
}

async function readEveryClass(client: WeftClient): Promise<string[]> {
	const names: string[] = [];
	for (let page = 1; ; page++) {
		const { results, next } = await client.call(mimClassRoutes.list, {
			query: { page: String(page), page_size: "1000" },
		});
		names.push(...results.map(({ package: pkg, name }) => `${pkg}:${name.slice(pkg.length)}`));
		if (next === null) return names;
	}
}

/**
 * Bytes of the documents.
 * @param encoding `gzip`: the bytes that the import fetches; `identity`: the lab unpacks
 */
async function runBareLoop(names: readonly string[], encoding: "gzip" | "identity"): Promise<number> {
	const pool = new Pool(site, { connections: CONCURRENCY });
	let bytes = 0;
	await runAtOnce(CONCURRENCY, names.length, async (index) => {
		const [pkg, short] = String(names[index]).split(":");
		const path = `/media/model-doc-611/docs/doc/jsonmeta/${pkg}/${short}.json`;
		const { statusCode, body } = await pool.request({ method: "GET", path, headers: { "accept-encoding": encoding } });
		const document = encoding === "gzip" ? String(gunzipSync(await body.arrayBuffer())) : await body.text();
		if (statusCode === 200) bytes += Object.keys(JSON.parse(document)).length > 0 ? document.length : 0;
	});
	await pool.close();
	return bytes;
}

const formatSeconds = (times: readonly number[]): string => times.map((ms) => (ms / 1000).toFixed(1)).join(" ");

let service = await startService({ env });
try {
	await pause(5_000);
	const empty = readTreeMemory(service.process.pid ?? 0);
	await makeReady();
	const [imports, bares, unpacked]: [number[], number[], number[]] = [[], [], []];
	let imported = await installModel(service.client);
	const names = await readEveryClass(service.client);
	let bytes = 0;
	for (;;) {
		// What the import and the loading of its model leave to be collected is no part of this.
		await pause(5_000);
		const bare = await measureTime(() => runBareLoop(names, "gzip"));
		await pause(2_000);
		const plain = await measureTime(() => runBareLoop(names, "identity"));
		imports.push(imported.ms);
		bares.push(bare.ms);
		unpacked.push(plain.ms);
		bytes = bare.result;
		if (imports.length === IMPORTS) break;
		await service.stop();
		service = await startService({ env });
		await pause(5_000);
		imported = await installModel(service.client);
	}
	printFigure("classes imported", `${names.length}`);
	printFigure("documents", `${(bytes / 1e6).toFixed(0)} MB`);
	printFigure("bare loops, fetch and parse", `${formatSeconds(bares)} s`);
	printFigure("  of documents that the lab has unpacked", `${formatSeconds(unpacked)} s`);
	printFigure("imports", `${formatSeconds(imports)} s`);
	const ratio = computeMedian(imports) / computeMedian(bares);
	printFigure("import / bare loop, of medians", ratio.toFixed(2), { met: ratio <= 1.5, text: "≤ 1.5" });
	printFigure(
		"  of documents that the lab has unpacked",
		(computeMedian(imports) / computeMedian(unpacked)).toFixed(2),
	);

	await service.stop({ keep: true });
	service = await startService({ dataDir: service.dataDir, env });
	const ready = await measureTime(() => service.client.call(mimRoutes.stats));
	const startedIn = service.startedIn + ready.ms;
	printFigure("start to the first answer of the explorer", `${startedIn.toFixed(0)} ms`, {
		met: ready.result.total_classes === names.length && startedIn <= 3_000,
		text: "≤ 3 s",
	});
	await pause(10_000);
	const memory = readTreeMemory(service.process.pid ?? 0) - empty;
	printFigure("memory of the model, idle", `${memory.toFixed(0)} MB`, { met: memory <= 300, text: "≤ 300 MB" });

	const signedIn = await service.client.call(authRoutes.login, { body: { username: "admin", password: PASSWORD } });
	if (!("access" in signedIn)) throw new Error("the first user has a second factor");
	const headers = { authorization: `Bearer ${signedIn.access}` };
	const wide = "fvTenant";
	const paths = [
		`/api/mim/explorer/class/${wide}/`,
		`/api/mim/explorer/tree/?parent=${wide}`,
		`/api/mim/explorer/relationships/${wide}/`,
		`/api/mim/explorer/ancestors/${wide}/`,
	];
	const bodies: Record<string, string> = {};
	for (const [i, path] of paths.entries()) {
		const response = await fetch(service.url + path, { headers });
		if (!response.ok) throw new Error(`${path} answered ${response.status}`);
		bodies[`/${i}`] = await response.text();
	}
	const baseline = await startProgram("bare-route.js", { input: JSON.stringify(bodies) });
	const bareUrl = baseline.line;
	const rate = async (url: string): Promise<number> => {
		const { requests, non2xx } = await autocannon({ url, headers, connections: 16, duration: 3 });
		if (non2xx > 0) throw new Error(`${non2xx} answers of ${url} were no success`);
		return requests.average;
	};
	for (const [i, path] of paths.entries()) {
		await rate(`${bareUrl}/${i}`);
		await rate(service.url + path);
		const rates: { service: number; bare: number }[] = [];
		for (let round = 0; round < ROUNDS; round++)
			rates.push({ bare: await rate(`${bareUrl}/${i}`), service: await rate(service.url + path) });
		const share = computeMedian(rates.map((one) => one.service / one.bare));
		const size = `${bodies[`/${i}`]?.length} bytes, ${computeMedian(rates.map((one) => one.service)).toFixed(0)}/s`;
		printFigure(`${path.slice(18)}`, size);
		printFigure("  service / bare route, median of 5", share.toFixed(2), { met: share >= 0.6, text: "≥ 0.6" });
	}
	await baseline.stop();

	const words = ["bridge domain", "tenant", "vz", "fault", "uni/tn-", "polcy", "ctx", "name", "l3ext subnet", "descr"];
	const search: number[] = [];
	const cheap: number[] = [];
	await Promise.all(
		Array.from({ length: SEARCHES }, async (_, i) => {
			await pause((i * 1000) / SEARCH_RATE);
			const began = performance.now();
			await service.client.call(mimRoutes.search, { query: { q: `${words[i % words.length]}` } });
			search.push(performance.now() - began);
			const again = performance.now();
			await service.client.call(systemRoutes.health);
			cheap.push(performance.now() - again);
		}),
	);
	const p95 = computeP95(search);
	printFigure(`search at ${SEARCH_RATE}/s, median`, `${computeMedian(search).toFixed(1)} ms`);
	printFigure(`search at ${SEARCH_RATE}/s, p95`, `${p95.toFixed(1)} ms`, { met: p95 <= 10, text: "≤ 10 ms" });
	printFigure("a cheap request meanwhile, p95", `${computeP95(cheap).toFixed(1)} ms`);

	const second = await installModel(service.client);
	const worst: number[] = [];
	for (let i = 0; i < SWITCHES; i++) {
		const run_id = i % 2 === 0 ? imported.id : second.id;
		let done = false;
		let longest = 0;
		const watch = (async () => {
			while (!done) {
				const { ms } = await measureTime(() => service.client.call(mimRoutes.stats));
				longest = Math.max(longest, ms);
				await pause(2);
			}
		})();
		await pause(500);
		await service.client.call(mimRegistryRoutes.activate, { params: { run_id } });
		// Other nodes and this one load it after the answer.
		await pause(4_000);
		done = true;
		await watch;
		worst.push(longest);
	}
	printFigure(`switch of models, longest request, median of ${SWITCHES}`, `${computeMedian(worst).toFixed(0)} ms`, {
		met: computeMedian(worst) <= 50,
		text: "≤ 50 ms",
	});
	printFigure("  each", worst.map((ms) => ms.toFixed(0)).join(" "));
} finally {
	await service.stop();
	await lab.stop();
}
