/**
 * Compares two snapshots of 20,000 objects of about 410 bytes, 1 % changed, through the API of a
 * running service. Baseline: a server that runs JSON.parse over both texts. Both are processes
 * called over HTTP in turns. Also measures capture and read.
 */
import { startProgram } from "./child.ts";
import { computeMedian, measureTime, PASSWORD, printFigure, startService } from "./tools.ts";

const OBJECTS = 20_000;
const ROUNDS = 9;
const GOAL = 1.5;

const service = await startService();
const baseline = await startProgram("time-machine-plain.js", { env: { WEFT_DATA_DIR: service.dataDir } });
const token = await signIn();

/** An answer of the controller; `drift` marks every hundredth object. */
function buildResponse(drift: string): string {
	const imdata = Array.from({ length: OBJECTS }, (_, index) => ({
		fvAEPg: {
			attributes: {
				configSt: "applied",
				descr: `owned by team ${index % 50}${index % 100 === 0 ? drift : ""}`,
				dn: `uni/tn-tenant-${index % 40}/ap-app-${index % 7}/epg-web-${String(index).padStart(6, "0")}`,
				floodOnEncap: "disabled",
				lcOwn: "local",
				matchT: "AtleastOne",
				modTs: new Date(1.7e12 + Math.imul(index, 2654435761)).toISOString(),
				name: `web-${String(index).padStart(6, "0")}`,
				pcEnfPref: "unenforced",
				pcTag: String((Math.imul(index, 2654435761) >>> 8) % 40_000),
				prefGrMemb: "exclude",
				prio: "unspecified",
				scope: String((Math.imul(index, 40503) >>> 4) % 3_000_000),
				triggerSt: "triggerable",
				txId: String(1e15 + index * 7919),
				uid: "15374",
			},
		},
	}));
	return JSON.stringify({ totalCount: String(OBJECTS), imdata });
}

async function signIn(): Promise<string> {
	const response = await fetch(`${service.url}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username: "admin", password: PASSWORD }),
	});
	return ((await response.json()) as { access: string }).access;
}

async function callTimeMachine(path: string, body?: string): Promise<string> {
	const response = await fetch(`${service.url}/api/time-machine/${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body === undefined ? {} : { body }),
	});
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return response.text();
}

const captureSnapshot = async (name: string, text: string): Promise<string> =>
	JSON.parse(await callTimeMachine("capture/", `{"query_name":"${name}","result_data":${text}}`)).snapshot_id;

/** Medians after one warm-up round; both sides in turns, under the same conditions. */
async function measureMedians(...works: ((round: number) => Promise<unknown>)[]): Promise<number[]> {
	const times = works.map(() => [] as number[]);
	for (let round = 0; round <= ROUNDS; round++)
		for (const [at, work] of works.entries()) {
			const { ms } = await measureTime(() => work(round));
			if (round > 0) times[at]?.push(ms);
		}
	return times.map(computeMedian);
}

const callBaselineParse = async (texts: number): Promise<void> => {
	const response = await fetch(`${baseline.line}/parse/?texts=${texts}`);
	if (!response.ok) throw new Error(`the baseline answered ${response.status}`);
	await response.text();
};

try {
	const texts = [buildResponse(""), buildResponse(", moved")] as const;
	for (const body of texts)
		await fetch(`${baseline.line}/texts/`, { method: "POST", headers: { "content-type": "text/plain" }, body });

	const [captured = 0, one = 0] = await measureMedians(
		(round) => captureSnapshot("bench", texts[(round % 2) as 0 | 1]),
		() => callBaselineParse(1),
	);
	printFigure("capture", `${captured.toFixed(1)} ms`);
	printFigure("  relative to JSON.parse of the same text", (captured / one).toFixed(2));

	const [from, to] = [await captureSnapshot("from", texts[0]), await captureSnapshot("to", texts[1])];
	const compare = (search = "") =>
		callTimeMachine(`compare/${search}`, JSON.stringify({ snapshot_from_id: from, snapshot_to_id: to }));
	const { diff } = JSON.parse(await compare());
	if (diff.total_changes !== OBJECTS / 100) throw new Error(`${diff.total_changes} changes were found`);
	const [compared = 0, lines = 0, both = 0] = await measureMedians(
		() => compare(),
		() => compare("?format=ndjson"),
		() => callBaselineParse(2),
	);
	printFigure(
		`JSON.parse of both texts, ${((texts[0].length + texts[1].length) / 1e6).toFixed(1)} MB`,
		`${both.toFixed(1)} ms`,
	);
	printFigure("compare, 1 % changed", `${compared.toFixed(1)} ms`);
	printFigure("  relative to JSON.parse of both", (compared / both).toFixed(2), {
		met: compared / both <= GOAL,
		text: `≤ ${GOAL}`,
	});
	printFigure("  as lines", `${lines.toFixed(1)} ms`);

	const [read = 0, again = 0] = await measureMedians(
		() => callTimeMachine(`snapshots/${from}/`),
		() => callBaselineParse(1),
	);
	printFigure("read back", `${read.toFixed(1)} ms`);
	printFigure("  relative to JSON.parse of the same text", (read / again).toFixed(2));
	if (compared / both > GOAL) process.exitCode = 1;
} finally {
	await baseline.stop();
	await service.stop();
}
