/**
 * Waiting tasks by user. The next one is of the user with the fewest running tasks; among equals,
 * of the one whose last turn is longest ago.
 */

interface Waiting {
	/** Null for the service's own tasks, of which any number may run. */
	readonly userId: number | null;
}

export interface FairQueue<Task extends Waiting> {
	readonly size: number;
	getSize(userId: number | null): number;
	push(task: Task): void;
	/** The next task, which counts as running until `release`; undefined if none may run. */
	take(): Task | undefined;
	/** Ends a task that was taken. */
	release(task: Task): void;
	/** Removes a waiting task. Returns false if it does not wait. */
	remove(task: Task): boolean;
	/** Removes and returns all waiting tasks. */
	clear(): Task[];
}

/** @param perUser tasks of one user that may run at the same time */
export function createFairQueue<Task extends Waiting>(perUser: number): FairQueue<Task> {
	const waiting = new Map<number | null, Task[]>();
	const running = new Map<number | null, number>();
	/** Number of the last turn of each user with waiting or running tasks. */
	const turns = new Map<number | null, number>();
	let turn = 0;
	let size = 0;

	const getRunning = (userId: number | null): number => running.get(userId) ?? 0;

	function findNextUser(): number | null | undefined {
		let next: number | null | undefined;
		for (const userId of waiting.keys()) {
			if (userId !== null && getRunning(userId) >= perUser) continue;
			if (next === undefined || isBefore(userId, next)) next = userId;
		}
		return next;
	}

	function isBefore(one: number | null, other: number | null): boolean {
		const fewer = getRunning(one) - getRunning(other);
		return fewer === 0 ? (turns.get(one) ?? 0) < (turns.get(other) ?? 0) : fewer < 0;
	}

	function forgetIdle(userId: number | null): void {
		if (!waiting.has(userId) && !running.has(userId)) turns.delete(userId);
	}

	return {
		get size() {
			return size;
		},
		getSize: (userId) => waiting.get(userId)?.length ?? 0,
		push(task) {
			const tasks = waiting.get(task.userId);
			if (tasks === undefined) waiting.set(task.userId, [task]);
			else tasks.push(task);
			size += 1;
		},
		take() {
			const userId = findNextUser();
			if (userId === undefined) return undefined;
			const tasks = waiting.get(userId) ?? [];
			const task = tasks.shift();
			if (tasks.length === 0) waiting.delete(userId);
			turn += 1;
			turns.set(userId, turn);
			running.set(userId, getRunning(userId) + 1);
			size -= 1;
			return task;
		},
		release({ userId }) {
			const left = getRunning(userId) - 1;
			if (left > 0) running.set(userId, left);
			else running.delete(userId);
			forgetIdle(userId);
		},
		remove(task) {
			const tasks = waiting.get(task.userId) ?? [];
			const at = tasks.indexOf(task);
			if (at < 0) return false;
			tasks.splice(at, 1);
			if (tasks.length === 0) waiting.delete(task.userId);
			forgetIdle(task.userId);
			size -= 1;
			return true;
		},
		clear() {
			const all = [...waiting.values()].flat();
			waiting.clear();
			size = 0;
			return all;
		},
	};
}
