/**
 * How long the event loop of the service is held while it passes on an answer of 60 MB, and by
 * bodies of signed-in users that are made to hold it. Baseline: parsing the same text at once, or
 * encoding it where it is XML.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PASSWORD, printFigure, startService } from "./tools.ts";

const MB = 1024 ** 2;
/** Longest time that the event loop may be held, in seconds. */
const GOAL = 0.25;
const ROUNDS = 3;
const METRICS_TOKEN = "a token for the metrics of benchmarks";
const CAPTURE = "/api/time-machine/capture/";
const QUERIES = "/api/queries/saved-queries/";

/** The text of a controller's answer. Its size is about `bytes`. */
function buildAnswer(bytes: number): string {
	const object = (index: number) =>
		JSON.stringify({
			fvCEp: {
				attributes: {
					dn: `uni/tn-t/ap-a/epg-e${index % 997}/cep-${index}`,
					ip: `10.0.${index % 256}.1`,
					mac: "00:50:56:00:00:01",
					encap: "vlan-100",
					name: `${index}`,
					lcOwn: "learned",
					modTs: "2026-01-31T08:00:00.000+00:00",
				},
			},
		});
	const count = Math.floor(bytes / (object(100_000).length + 1));
	const objects = Array.from({ length: count }, (_, index) => object(index));
	return `{"totalCount":"${count}","imdata":[${objects.join(",")}]}`;
}

const upstream = createServer((request, response) => {
	response.setHeader("content-type", "application/json");
	if (request.url?.startsWith("/api/class/fvCEp.xml") === true) {
		response.setHeader("content-type", "text/xml");
		response.end(largeText);
	} else if (request.url?.startsWith("/api/class/") === true) response.end(large);
	else {
		const attributes = { token: "t", refreshTimeoutSeconds: "600", version: "6.0(9c)", userName: "u" };
		response.setHeader("set-cookie", "APIC-cookie=t; path=/");
		response.end(JSON.stringify({ totalCount: "1", imdata: [{ aaaLogin: { attributes } }] }));
	}
});
const large = Buffer.from(buildAnswer(60 * MB));
const element = '<fvCEp dn="uni/tn-t/ap-a/epg-e/cep-00:50:56:00:00:01" encap="vlan-100" lcOwn="learned"/>\n';
const largeText = Buffer.from(`<imdata>${element.repeat((60 * MB) / element.length)}</imdata>`);
await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));

const service = await startService({ env: { WEFT_METRICS_TOKEN: METRICS_TOKEN } });
const headers = { "content-type": "application/json", authorization: `Bearer ${await signIn()}` };

async function signIn(): Promise<string> {
	const body = JSON.stringify({ username: "admin", password: PASSWORD });
	const answer = await fetch(`${service.url}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body,
	});
	return ((await answer.json()) as { access: string }).access;
}

async function postBody(path: string, body: string): Promise<number> {
	const answer = await fetch(service.url + path, { method: "POST", headers, body });
	await answer.arrayBuffer();
	return answer.status;
}

/** Longest hold since the previous call, in seconds. */
async function measureLongestHold(): Promise<number> {
	const answer = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
	const line = (await answer.text())
		.split("\n")
		.find((one) => one.startsWith('weft_event_loop_delay_seconds{quantile="1"}'));
	return Number(line?.split(" ").at(-1));
}

/** The smallest of several, because other work of the machine also holds the loop. */
async function measureHold(work: () => Promise<number>): Promise<{ hold: number; status: number }> {
	const holds: number[] = [];
	let status = 0;
	for (let round = 0; round < ROUNDS; round++) {
		await measureLongestHold();
		status = await work();
		holds.push(await measureLongestHold());
	}
	return { hold: Math.min(...holds), status };
}

function countHandledAtOnce(text: string | Buffer): number {
	const began = performance.now();
	try {
		if (text === largeText) Buffer.from(JSON.stringify(text.toString()));
		else JSON.parse(text.toString());
	} catch {
		// Some bodies are no JSON that this engine parses.
	}
	return (performance.now() - began) / 1_000;
}

const formatSeconds = (value: number): string => `${value.toFixed(3)} s`;
async function reportHold(name: string, text: string | Buffer, work: () => Promise<number>): Promise<void> {
	const { hold, status } = await measureHold(work);
	printFigure(`${name} (${status})`, formatSeconds(hold), {
		met: hold <= GOAL,
		text: `at most ${GOAL} s; at once: ${formatSeconds(countHandledAtOnce(text))}`,
	});
	if (hold > GOAL) process.exitCode = 1;
}

const repeatElement = (count: number, element: string): string =>
	`[${Array.from({ length: count }, () => element).join(",")}]`;
const buildMembers = (count: number): string =>
	`{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;
/** Values of a body, of 1 up to 50 MB. */
const HOSTILE: readonly (readonly [name: string, value: string])[] = [
	["5 million numbers", repeatElement(5_000_000, "1")],
	["10 million empty objects", repeatElement(10_000_000, "{}")],
	["4 million lists of a list", repeatElement(4_000_000, "[[]]")],
	["nested lists, 20 MB", "[".repeat(10 * MB) + "]".repeat(10 * MB)],
	["nested 90 deep, many", repeatElement(100_000, "[".repeat(90) + "]".repeat(90))],
	["a million members", buildMembers(1_000_000)],
	["a text of 15 MB", `"${"x".repeat(15 * MB)}"`],
	["a text of 7 million escapes", `"${"\\n".repeat(7 * MB)}"`],
	["a number of 10 million digits", "9".repeat(10 * MB)],
];

/** Bodies of this route have at most 10 MB. */
const SMALLER = 9 * MB;
const ACCEPTED_SIZES: typeof HOSTILE = [
	["4 million numbers", repeatElement(4_000_000, "1")],
	["3 million empty objects", repeatElement(3_000_000, "{}")],
	["700,000 members", buildMembers(700_000)],
	["nested lists", "[".repeat(SMALLER / 2) + "]".repeat(SMALLER / 2)],
	["a text of 9 MB", `"${"x".repeat(SMALLER)}"`],
];

try {
	const connection = await fetch(`${service.url}/api/controller/connections/`, {
		method: "POST",
		headers,
		body: JSON.stringify({
			name: "Fabric",
			url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
			username: "u",
			password: "p",
		}),
	});
	const { id } = (await connection.json()) as { id: string };
	for (const [format, answer] of [
		["json", large],
		["xml", largeText],
	] as const) {
		const query = JSON.stringify({ connection_id: id, query_path: `/api/class/fvCEp.${format}` });
		await reportHold(`an answer of 60 MB of ${format.toUpperCase()} passed through`, answer, () =>
			postBody("/api/controller/connections/execute_query/", query),
		);
	}
	for (const [name, value] of HOSTILE) {
		const body = `{"query_name":"q","class_name":"fvBD","result_data":${value}}`;
		await reportHold(`POST capture/: ${name}`, body, () => postBody(CAPTURE, body));
	}
	for (const [name, value] of ACCEPTED_SIZES) {
		const body = `{"name":"q","flow_data":{"nodes":[],"edges":[],"x":${value}}}`;
		await reportHold(`POST saved-queries/: ${name}`, body, () => postBody(QUERIES, body));
	}
} finally {
	await service.stop();
	upstream.close();
}
