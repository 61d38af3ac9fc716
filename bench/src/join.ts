/** 20,000 objects joined with 20,000 others, against the same run without the join. */
import { startController } from "@weft/lab";
import { createConnection, runCanvas } from "./lab.ts";
import { computeMedian, printFigure, readMemory, startService } from "./tools.ts";

const OBJECTS = 20_000;
const TENANTS = 100;
const ROUNDS = 5;
const MOST_MB = 400;

const canvas = {
	nodes: [
		{ id: "a", type: "classNode", data: { className: "fvBD" } },
		{ id: "b", type: "classNode", data: { className: "fvSubnet" } },
		{ id: "out", type: "outputNode", data: {} },
	],
	edges: [
		{ id: "e1", source: "a", target: "out" },
		{ id: "e2", source: "b", target: "out" },
	],
};
const fields = [{ field: "ip", as: "subnets" }];
const attach = { class: "fvSubnet", fields, many: "list" };
const JOINS: Readonly<Record<string, object>> = {
	child: { base: "fvBD", attach: [{ ...attach, by: "child" }] },
	parent: {
		base: "fvSubnet",
		attach: [{ class: "fvBD", fields: [{ field: "name", as: "bd" }], many: "first", by: "parent" }],
	},
	"equal fields": { base: "fvBD", attach: [{ ...attach, by: { base: "descr", other: "descr" } }] },
};

/** Bridge domains, each with one subnet, with as many attributes as a controller gives. */
function* listObjects(): Generator<object> {
	const more = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`setting${i}`, `value-${i}`]));
	for (let i = 0; i < TENANTS; i += 1) yield { fvTenant: { attributes: { dn: `uni/tn-t${i}`, name: `t${i}` } } };
	for (let i = 0; i < OBJECTS; i += 1) {
		const dn = `uni/tn-t${i % TENANTS}/BD-bd-${i}`;
		const ip = `10.${i >> 8}.${i & 255}.1/24`;
		yield { fvBD: { attributes: { ...more, dn, name: `bd-${i}`, descr: `pair-${i}` } } };
		yield { fvSubnet: { attributes: { ...more, dn: `${dn}/subnet-[${ip}]`, ip, descr: `pair-${i}` } } };
	}
}

const controller = await startController({ size: "empty" });
controller.load({ imdata: [...listObjects()] });
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });

try {
	const { client } = service;
	const connection = await createConnection(client, controller);
	const run = (config?: object) =>
		runCanvas(client, connection, canvas, 250, config === undefined ? [] : [{ type: "join", config }]);
	const { job } = await run();
	if (job.total_rows !== 2 * OBJECTS) throw new Error(`${job.total_rows} objects without the join`);
	printFigure("objects", String(job.total_rows));
	const before = readMemory(service.process.pid ?? 0);
	const times = new Map(["without", ...Object.keys(JOINS)].map((name): [string, number[]] => [name, []]));
	for (let i = 0; i < ROUNDS; i += 1) {
		times.get("without")?.push((await run()).ms);
		for (const [name, config] of Object.entries(JOINS)) {
			const { ms, job: joined } = await run(config);
			if (joined.total_rows !== OBJECTS) throw new Error(`${joined.total_rows} joined rows by ${name}`);
			times.get(name)?.push(ms);
		}
	}
	const growth = readMemory(service.process.pid ?? 0).peak - before.now;
	const plain = computeMedian(times.get("without") ?? []);
	printFigure("run without the join", `${plain.toFixed(0)} ms`);
	for (const name of Object.keys(JOINS)) {
		const ratio = computeMedian(times.get(name) ?? []) / plain - 1;
		printFigure(`more time with a join by ${name}, of the run's own`, ratio.toFixed(2), {
			met: ratio <= 0.5,
			text: "≤ 0.5",
		});
		if (ratio > 0.5) process.exitCode = 1;
	}
	printFigure("more memory at the highest", `${growth.toFixed(0)} MB`, {
		met: growth <= MOST_MB,
		text: `≤ ${MOST_MB} MB`,
	});
	if (growth > MOST_MB) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), controller.close()]);
}
