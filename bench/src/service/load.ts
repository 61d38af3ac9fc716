/** Sends requests at a fixed rate, answered or not, and measures from when each was due. */
import { Pool } from "undici";
import { type Planned, planRequest, type Random, type World } from "./mix.ts";

export interface Step {
	readonly rate: number;
	/** Requests answered in a second. */
	readonly served: number;
	readonly p50: number;
	readonly p95: number;
	readonly p99: number;
	/** Answers of 500 and above, and requests without an answer. */
	readonly failed: number;
	/** p95 by kind of request, the slowest first. */
	readonly slowest: readonly { readonly name: string; readonly p95: number }[];
}

/** @param urls of the web processes; requests go to them in turn */
export async function runLoad(
	urls: readonly string[],
	world: World,
	{ rate, seconds, random }: { rate: number; seconds: number; random: Random },
): Promise<Step> {
	const pools = urls.map((url) => new Pool(url, { connections: 64, pipelining: 1 }));
	const times = new Map<string, number[]>();
	let failed = 0;
	let wrong: string | null = null;
	const under: Promise<void>[] = [];
	const began = performance.now();
	const count = rate * seconds;

	async function sendRequest(index: number, due: number, { name, method, path, token, body }: Planned): Promise<void> {
		const pool = pools[index % pools.length] as Pool;
		try {
			const { statusCode, body: answer } = await pool.request({
				method,
				path,
				headers: {
					authorization: `Bearer ${token}`,
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
				body: body ?? null,
			});
			await answer.dump();
			if (statusCode >= 500) failed++;
			else if (statusCode >= 400) wrong = `${method} ${path} answered ${statusCode}`;
		} catch {
			failed++;
		}
		const list = times.get(name) ?? [];
		list.push(performance.now() - due);
		times.set(name, list);
	}

	for (let index = 0; index < count; ) {
		const now = performance.now();
		for (; index < count && began + (index / rate) * 1_000 <= now; index++) {
			under.push(sendRequest(index, began + (index / rate) * 1_000, planRequest(world, random)));
		}
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
	await Promise.all(under);
	// Refused requests would distort the measurement.
	if (wrong !== null) throw new Error(`The load itself is wrong: ${wrong}.`);
	const took = (performance.now() - began) / 1_000;
	await Promise.all(pools.map((pool) => pool.close()));
	const all = [...times.values()].flat();
	return {
		rate,
		served: count / took,
		p50: computeQuantile(all, 0.5),
		p95: computeQuantile(all, 0.95),
		p99: computeQuantile(all, 0.99),
		failed,
		slowest: [...times]
			.map(([name, list]) => ({ name, p95: computeQuantile(list, 0.95) }))
			.sort((a, b) => b.p95 - a.p95)
			.slice(0, 4),
	};
}

function computeQuantile(values: readonly number[], part: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
