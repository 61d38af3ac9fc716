/** A live search: how each fabric stands, and the objects that have come so far. */
import { FIND_LIMITS, findRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { Empty, Loaded, Panel } from "../../../ui/page.tsx";
import { Status } from "../../../ui/pill.tsx";
import { FoundTable } from "./found-table.tsx";

const EVERY_MS = 1_000;

export function LivePanel({ id }: { id: string }) {
	const [isDone, setDone] = useState(false);
	const answer = useAnswer(
		findRoutes.live,
		{ params: { id }, query: { limit: String(FIND_LIMITS.objects) } },
		{ every: isDone ? false : EVERY_MS },
	);
	const status = answer.data?.status;
	useEffect(() => setDone(status === "done" || answer.error !== null), [status, answer.error]);
	return (
		<Panel title="On the fabrics now">
			<Loaded answer={answer} lines={3}>
				{({ connections, objects }) => (
					<>
						<ul aria-label="Answers of the fabrics" className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-3">
							{connections.map(({ connection, status: state, error }) => (
								<li key={connection.id} className="flex min-w-0 items-center gap-2">
									<span className="font-medium">{connection.name}</span>
									<Status status={state} />
									{error !== null && <span className="min-w-0 text-bad [overflow-wrap:anywhere]">{error}</span>}
								</li>
							))}
						</ul>
						{objects.length > 0 ? (
							<FoundTable label="Objects on the fabrics" objects={objects} />
						) : (
							<Empty>
								{status === "running"
									? "Waiting for the first object."
									: connections.some(({ status: state }) => state === "completed")
										? "No fabric that answered has such an object."
										: "No fabric has answered."}
							</Empty>
						)}
					</>
				)}
			</Loaded>
		</Panel>
	);
}
