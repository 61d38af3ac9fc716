/**
 * The same work by Weft and by what people use instead: a script with python3-requests, DeepDiff,
 * `git diff`, jq, and files of answers in a git repository. Needs these programs of Debian
 * (python3-requests, python3-deepdiff, git, jq). The controller is a program that answers at once.
 * Weft's times include its HTTP interface, its rights and its store; a run also stores its rows.
 *
 * `WEFT_BENCH_PLOT=file.svg` also writes how the times grow.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
	backgroundRunRoutes,
	checkRoutes,
	executionLogRoutes,
	savedQueryRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import pg from "pg";
import { attachEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";
import { startProgram } from "./child.ts";
import { createConnection, runCanvas } from "./lab.ts";
import { drawPlots } from "./peers-plot.ts";
import { createDrifting, type Document } from "./time-machine-data.ts";
import { computeMedian, measureTime, printFigure, startService } from "./tools.ts";

const READ = 50_000;
const COMPARED = 20_000;
const FOLLOWED = 100;
const READ_SIZES = [10_000, 100_000, 1_000_000];
const HISTORY_SIZES = [10, 100, 1_000];
/** Objects of each answer whose number grows. */
const SMALL_ANSWER = 2_000;
const ROUNDS = 3;
/** Debian's, which has the packages. */
const PYTHON = "/usr/bin/python3";
const OUTPUT_MAX = 1 << 30;

const resolveScript = (name: string): string => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));
/** @param fine status with which the program may end, besides 0 */
async function runProgram(program: string, args: readonly string[], fine = 0): Promise<string> {
	try {
		return (await promisify(execFile)(program, args, { maxBuffer: OUTPUT_MAX })).stdout;
	} catch (error) {
		const { code, stdout } = error as { code?: unknown; stdout?: string };
		if (code === "ENOENT") throw new Error(`${program} is not installed.`);
		if (code === fine && stdout !== undefined) return stdout;
		throw error;
	}
}
const formatDuration = (ms: number): string => (ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(0)} s`);
const formatMegabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
/** Weft's figure and the other's, with how many times as much the other takes. */
function printComparison(
	name: string,
	own: number,
	other: number,
	unit: (value: number) => string = formatDuration,
): void {
	printFigure(name, `${unit(own)} / ${unit(other)}   1/${(other / own).toFixed(1)}`);
}
async function measureMedian(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < rounds; i += 1) times.push((await measureTime(work)).ms);
	return computeMedian(times);
}

const folder = await mkdtemp(join(tmpdir(), "weft-peers-"));
const controller = await startProgram("peers-controller.js");
const url = controller.line;
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const { client } = service;
const embedded = await attachEmbeddedPostgres({ dataDir: service.dataDir, log: () => {} });
const pool = new pg.Pool({ ...embedded.connection, ssl: false, max: 1 });
const CANVAS = { nodes: [{ id: "a", type: "classNode", data: { className: "fvAEPg" } }], edges: [] };
const setObjectCount = (objects: number) => fetch(`${url}/objects?count=${objects}`);

async function addQuery(name: string): Promise<string> {
	const body = { name, flow_data: CANVAS as never, enable_time_machine: true };
	return (await client.call(savedQueryRoutes.create, { body })).id;
}

async function readBoth(connection: string, objects: number, rounds = ROUNDS): Promise<{ own: number; other: number }> {
	await setObjectCount(objects);
	const [own, other]: [number[], number[]] = [[], []];
	for (let i = 0; i < rounds; i += 1) {
		const { ms, job } = await runCanvas(client, connection, CANVAS, 250);
		if (job.total_rows !== objects) throw new Error(`The run has ${job.total_rows} rows.`);
		own.push(ms);
		const answer = await measureTime(() =>
			runProgram(PYTHON, [resolveScript("read.py"), url, "fvAEPg", join(folder, "read.json")]),
		);
		if (Number(answer.result) !== objects) throw new Error(`The script has ${answer.result} objects.`);
		other.push(answer.ms);
	}
	return { own: computeMedian(own), other: computeMedian(other) };
}

interface Histories {
	readonly query: string;
	readonly watched: string;
	readonly snapshots: readonly string[];
	/** One file for each answer, in a git repository. */
	readonly files: readonly string[];
	readonly repository: string;
	readonly rawBytes: number;
	readonly ownBytes: number;
}

const storeBytes = async (): Promise<number> => {
	const names = "select tablename from pg_tables where tablename like 'snapshot%' and schemaname = 'public'";
	const sum = `select sum(pg_total_relation_size(tablename::regclass))::float8 as n from (${names}) t`;
	return (await pool.query(sum)).rows[0].n;
};

/** The same answers as snapshots and as files. */
async function keepBoth(name: string, objects: number, count: number): Promise<Histories> {
	const { document, watched, drift } = createDrifting(objects);
	const query = await addQuery(name);
	const repository = join(folder, name);
	await mkdir(repository);
	await runProgram("git", ["-C", repository, "init", "-q"]);
	const before = await storeBytes();
	const [snapshots, files]: [string[], string[]] = [[], []];
	let rawBytes = 0;
	for (let i = 0; i < count; i += 1) {
		const body = { saved_query_id: query, result_data: document as Document };
		const answer = await client.call(timeMachineRoutes.capture, { body });
		if (!("snapshot_id" in answer)) throw new Error("The answer was not kept.");
		snapshots.push(answer.snapshot_id);
		const text = JSON.stringify(document, null, 1);
		rawBytes += text.length;
		const file = join(repository, `${String(i).padStart(4, "0")}.json`);
		await writeFile(file, text);
		files.push(file);
		drift();
	}
	return { query, watched, snapshots, files, repository, rawBytes, ownBytes: (await storeBytes()) - before };
}

/** In pieces, as one answer of the service has 100 points at most. */
async function readTimeline({ query, watched }: Histories, limit: number): Promise<void> {
	let found = 0;
	let before: { to_date?: string } = {};
	while (found < limit) {
		const part = await client.call(timeMachineRoutes.timeline, {
			query: { saved_query_id: query, dn: watched, limit: String(Math.min(100, limit - found)), ...before },
		});
		const points = "points" in part ? part.points : [];
		const [oldest] = points;
		if (oldest === undefined) throw new Error(`The timeline ends after ${found} answers.`);
		found += points.length;
		before = { to_date: new Date(Date.parse(oldest.executed_at) - 1).toISOString() };
	}
}
async function followInFiles({ files, watched }: Histories, limit: number): Promise<void> {
	const program = ".imdata[].fvAEPg.attributes | select(.dn == $dn)";
	const found = await runProgram("jq", ["-c", "--arg", "dn", watched, program, ...files.slice(-limit)]);
	if (found.trim().split("\n").length !== limit) throw new Error("jq found another number of answers.");
}

/** Bytes of a folder with all that is in it. */
async function countFolderBytes(path: string): Promise<number> {
	let sum = 0;
	for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
		if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size;
	}
	return sum;
}

/** One file whose versions are the answers, packed. */
async function countGitBytes({ files }: Histories): Promise<number> {
	const repository = join(folder, "versions");
	await mkdir(repository);
	const git = (...args: string[]) => runProgram("git", ["-C", repository, ...args]);
	await git("init", "-q");
	for (const file of files) {
		await runProgram("cp", [file, join(repository, "answer.json")]);
		await git("add", "answer.json");
		await git(
			"-c",
			"user.name=bench",
			"-c",
			"user.email=bench@localhost",
			"commit",
			"-q",
			"--allow-empty",
			"-m",
			"answer",
		);
	}
	await git("gc", "-q");
	return countFolderBytes(join(repository, ".git"));
}

/** Compares snapshots beside each other, which differ in one in a hundred objects. */
async function compareBoth({ snapshots, files }: Histories): Promise<void> {
	let at = snapshots.length - 1;
	const next = () => {
		at -= 1;
		return { snapshot_from_id: snapshots[at - 1] ?? "", snapshot_to_id: snapshots[at] ?? "" };
	};
	const own = await measureMedian(() => client.call(timeMachineRoutes.compare, { query: {}, body: next() as never }));
	const [before = "", after = ""] = files;
	printComparison(
		`compare two answers of ${COMPARED}: DeepDiff`,
		own,
		await measureMedian(() => runProgram(PYTHON, [resolveScript("compare.py"), before, after]), 1),
	);
	const inGit = await measureMedian(() => runProgram("git", ["diff", "--no-index", "--stat", before, after], 1));
	printComparison("  git diff --no-index, by line", own, inGit);
}

/** Rows whose value must be another one, on the rows of the latest run. */
async function compareViolations(connection: string): Promise<void> {
	await setObjectCount(READ);
	const query = await addQuery("violations");
	await client.call(backgroundRunRoutes.start, {
		params: { id: query },
		body: { controller_connection_id: connection },
	});
	while ((await client.call(executionLogRoutes.list, { query: { query } })).count === 0) {
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	await runProgram(PYTHON, [resolveScript("read.py"), url, "fvAEPg", join(folder, "read.json")]);
	const config = { conditions: [{ field: "name", operator: "ends", value: "7" }] };
	const own = await measureMedian(() =>
		client.call(checkRoutes.preview, { body: { saved_query: query, type: "each_row", config } as never }),
	);
	const program = '[.imdata[].fvAEPg.attributes | select(.name | endswith("7") | not)] | length, .[:200]';
	const other = await measureMedian(() => runProgram("jq", [program, join(folder, "read.json")]));
	printComparison(`which of ${READ} rows violate this: jq`, own, other);
}

try {
	const connection = await createConnection(client, { url, username: "admin", password: "admin" } as never, "Bench");
	await readBoth(connection, 1_000, 1);
	const read = await readBoth(connection, READ);
	printComparison(`read ${READ} objects: python3-requests`, read.own, read.other);
	const large = await keepBoth("large", COMPARED, FOLLOWED);
	await compareBoth(large);
	const ownFollow = await measureMedian(() => readTimeline(large, FOLLOWED));
	printComparison(
		`follow one object over ${FOLLOWED} answers: jq`,
		ownFollow,
		await measureMedian(() => followInFiles(large, FOLLOWED), 1),
	);
	printComparison(
		`disk for ${FOLLOWED} answers of ${COMPARED}: files`,
		large.ownBytes,
		large.rawBytes,
		formatMegabytes,
	);
	printComparison("  one file in git, packed", large.ownBytes, await countGitBytes(large), formatMegabytes);
	await compareViolations(connection);

	const reads: { size: number; own: number; other: number }[] = [];
	for (const size of READ_SIZES) {
		const { own, other } = await readBoth(connection, size, 1);
		reads.push({ size, own, other });
		printComparison(`read ${size} objects: python3-requests`, own, other);
	}
	const long = await keepBoth("long", SMALL_ANSWER, Math.max(...HISTORY_SIZES));
	const follows: typeof reads = [];
	for (const size of HISTORY_SIZES) {
		const [own, other] = [
			await measureMedian(() => readTimeline(long, size)),
			await measureMedian(() => followInFiles(long, size), 1),
		];
		follows.push({ size, own, other });
		printComparison(`follow one of ${SMALL_ANSWER} objects over ${size} answers: jq`, own, other);
	}
	const plot = process.env.WEFT_BENCH_PLOT;
	if (plot !== undefined) {
		const curves = (name: string, measured: typeof reads) => [
			{ name: "Weft", colour: "#2563eb", points: measured.map(({ size, own }) => [size, own / 1000] as const) },
			{ name, colour: "#d97706", points: measured.map(({ size, other }) => [size, other / 1000] as const) },
		];
		await writeFile(
			plot,
			drawPlots([
				{ title: "Read a class", unit: "objects", curves: curves("python3-requests", reads) },
				{ title: "Follow one object", unit: "answers of 2,000 objects", curves: curves("jq", follows) },
			]),
		);
	}
} finally {
	await pool.end();
	await service.stop();
	await controller.stop();
	await rm(folder, { recursive: true, force: true });
}
