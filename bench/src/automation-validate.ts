/**
 * CPU time to check 10,000 rows of 12 columns in the background, and its effect on other requests.
 */
import { setTimeout as pause } from "node:timers/promises";
import { authRoutes, automationTemplateRoutes, regexPatternRoutes, validationListRoutes } from "@weft/contracts";
import { connectAutomation } from "./automation-lab.ts";
import { startLab } from "./lab.ts";
import { computeMedian, computeP95, measureTime, PASSWORD, printFigure, readTreeCpu, startService } from "./tools.ts";

const ROWS = 10_000;
const ROUNDS = 5;
const GOAL_MS = 1_000;
const TIMES_IDLE = 3;
const ASKED = 300;

const lab = await startLab("small");
const service = await startService();
try {
	const { client } = service;
	await connectAutomation(client, lab);
	const values = Array.from({ length: 5_000 }, (_, at) => `tenant-${at}`);
	const { id: list } = await client.call(validationListRoutes.create, { body: { name: "Tenants", values } });
	const pattern = { name: "Leaves", pattern: "leaf-[0-9]{1,6}" };
	const { id: regex } = await client.call(regexPatternRoutes.create, { body: pattern });
	const { id: template } = await client.call(automationTemplateRoutes.create, {
		body: {
			name: "Everything",
			automation_job_template_id: 22,
			schema: [
				{ name: "leaf", field_type: "text", required: true, unique: true, regex_pattern: regex },
				{ name: "tenant", field_type: "text", validation_list: list },
				{ name: "note", field_type: "textarea", min_length: 1, max_length: 200 },
				{ name: "mtu", field_type: "number", min: 576, max: 9216 },
				{ name: "up", field_type: "boolean", default: true },
				{ name: "speed", field_type: "enum", choices: ["10G", "25G", "100G"] },
				{ name: "modes", field_type: "multi_enum", choices: ["a", "b", "c"] },
				{ name: "secret", field_type: "password", min_length: 4 },
				{ name: "address", field_type: "ip", unique: true },
				{ name: "network", field_type: "cidr" },
				{ name: "mac", field_type: "mac", unique: true },
				{ name: "vlan", field_type: "vlan", pattern: "[1-9][0-9]{0,3}" },
			],
		},
	});
	const hex = (value: number) => value.toString(16).padStart(2, "0");
	const input_data = Array.from({ length: ROWS }, (_, at) => ({
		leaf: `leaf-${at}`,
		tenant: `tenant-${at % 5_000}`,
		note: "moved at night\nback in the morning",
		mtu: 9_000,
		up: "yes",
		speed: "25G",
		modes: "a, c",
		secret: "s3cret",
		network: "10.1.0.0/16",
		address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
		mac: `00:1b:44:${hex(at >> 16)}:${hex((at >> 8) & 255)}:${hex(at & 255)}`,
		vlan: 1 + (at % 4_094),
	}));

	// Written once: what the client spends on it is not to be taken for what the others wait for.
	const body = Buffer.from(JSON.stringify({ template, input_data }));
	const signedIn = await fetch(`${service.url}${authRoutes.login.path}`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username: "admin", password: PASSWORD }),
	});
	const { access } = (await signedIn.json()) as { access: string };

	const cheap = async () => (await measureTime(() => client.call(authRoutes.profile))).ms;
	const check = async () => {
		const answer = await fetch(`${service.url}${automationTemplateRoutes.validateInput.path}`, {
			method: "POST",
			body,
			headers: { authorization: `Bearer ${access}`, "content-type": "application/json" },
		});
		const { task_id } = (await answer.json()) as { task_id: string };
		for (;;) {
			const params = { task_id };
			const status = await client.call(automationTemplateRoutes.validationStatus, { params });
			if (!status.completed) await pause(100);
			else if (status.result?.valid) return;
			else throw new Error(JSON.stringify(status.result?.errors.slice(0, 3) ?? status.error));
		}
	};

	for (let at = 0; at < 100; at++) await cheap();
	await check();
	const idle: number[] = [];
	for (let at = 0; at < ASKED; at++) idle.push(await cheap());

	const pid = service.process.pid ?? 0;
	const spent: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const before = readTreeCpu(pid);
		await check();
		spent.push(readTreeCpu(pid) - before);
	}

	const meanwhile: number[] = [];
	let over = false;
	const checks = (async () => {
		for (let round = 0; round < ROUNDS; round++) await check();
	})().finally(() => {
		over = true;
	});
	while (!over) meanwhile.push(await cheap());
	await checks;

	const cpu = computeMedian(spent);
	const [alone, beside] = [computeP95(idle), computeP95(meanwhile)];
	const goals = [cpu <= GOAL_MS, beside <= TIMES_IDLE * alone] as const;
	printFigure(`${ROWS} rows × 12 columns: processor time, store and all`, `${cpu.toFixed(0)} ms`, {
		met: goals[0],
		text: `≤ ${GOAL_MS} ms`,
	});
	printFigure("a cheap request, nothing else to do: p95", `${alone.toFixed(1)} ms`);
	printFigure(`the same meanwhile: p95 of ${meanwhile.length}`, `${beside.toFixed(1)} ms`, {
		met: goals[1],
		text: `≤ ${TIMES_IDLE} × that`,
	});
	if (goals.includes(false)) process.exitCode = 1;
} finally {
	await service.stop();
	await lab.stop();
}
