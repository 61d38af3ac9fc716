import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

interface Task {
	readonly userId: number | null;
	readonly name: string;
}

/** Tasks of users, such as `a1 a2 b1`, in the order in which one thread takes them. */
function getServingOrder(tasks: string, perUser = 1): string {
	const queue = createFairQueue<Task>(perUser);
	for (const name of tasks.split(" ")) queue.push({ userId: name.charCodeAt(0), name });
	const taken: string[] = [];
	for (let task = queue.take(); task !== undefined; task = queue.take()) {
		taken.push(task.name);
		queue.release(task);
	}
	return taken.join(" ");
}

describe("a fair queue", () => {
	it.each([
		["a1 a2 a3", "a1 a2 a3"],
		["a1 a2 a3 b1", "a1 b1 a2 a3"],
		["a1 a2 a3 b1 b2 c1", "a1 b1 c1 a2 b2 a3"],
		["a1 a2 b1 b2 c1 c2", "a1 b1 c1 a2 b2 c2"],
	])("takes turns among users: %s", (tasks, expected) => expect(getServingOrder(tasks)).toBe(expected));

	it("prefers the user with the fewest running tasks, and holds back one with as many as a user may have", () => {
		const queue = createFairQueue<Task>(2);
		for (const name of ["a1", "a2", "a3", "b1"]) queue.push({ userId: name.charCodeAt(0), name });
		const [first, second, third, fourth] = [queue.take(), queue.take(), queue.take(), queue.take()];
		expect([first?.name, second?.name, third?.name, fourth]).toEqual(["a1", "b1", "a2", undefined]);
		if (first !== undefined) queue.release(first);
		expect(queue.take()?.name).toBe("a3");
	});

	it("remembers the turn of a user whose tasks came one by one", () => {
		const queue = createFairQueue<Task>(1);
		const [first, second, other] = ["a1", "a2", "b1"].map((name) => ({ userId: name.charCodeAt(0), name }));
		if (first === undefined || second === undefined || other === undefined) throw new Error("no tasks");
		queue.push(first);
		expect(queue.take()).toBe(first);
		queue.push(second);
		queue.push(other);
		queue.release(first);
		expect([queue.take(), queue.take()]).toEqual([other, second]);
	});

	it("runs any number of the service's own tasks", () => {
		const queue = createFairQueue<Task>(1);
		for (const name of ["s1", "s2"]) queue.push({ userId: null, name });
		expect([queue.take()?.name, queue.take()?.name, queue.take()]).toEqual(["s1", "s2", undefined]);
	});

	it("removes waiting tasks, and counts the others", () => {
		const queue = createFairQueue<Task>(1);
		const [one, two] = [
			{ userId: 1, name: "a1" },
			{ userId: 1, name: "a2" },
		];
		queue.push(one);
		queue.push(two);
		expect([queue.remove(one), queue.remove(one), queue.size, queue.getSize(1), queue.getSize(2)]).toEqual([
			true,
			false,
			1,
			1,
			0,
		]);
		expect([queue.clear(), queue.size, queue.take()]).toEqual([[two], 0, undefined]);
	});
});
