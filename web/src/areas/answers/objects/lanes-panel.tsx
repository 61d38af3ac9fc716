/** The attributes of an object over the snapshots of a query, with persons on the changes. */
import type { ObjectAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { SelectField } from "../../../ui/field.tsx";
import { Empty, Loaded, Panel } from "../../../ui/page.tsx";
import { getOne, Lanes } from "../../history/lanes-view.tsx";
import { findPersons } from "./find-persons.ts";

/** The latest snapshots that the lanes show. */
const SNAPSHOTS = 50;

export function LanesPanel({ object }: { object: ObjectAnswer }) {
	const { histories } = object;
	const [chosen, setChosen] = useState("");
	const history = histories.find(({ saved_query }) => saved_query.id === chosen) ?? histories[0];
	return (
		<Panel
			title="Attributes over time"
			padded
			aside={
				history && (
					<span className="flex flex-wrap items-center gap-2 text-muted">
						{history.snapshots > SNAPSHOTS
							? `the latest ${SNAPSHOTS} of ${formatPlural(history.snapshots, "snapshot")}`
							: formatPlural(history.snapshots, "snapshot")}
						{histories.length > 1 && (
							<SelectField
								hideLabel
								label="Snapshots of"
								value={history.saved_query.id}
								options={histories.map(({ saved_query: { id, name } }) => ({ value: id, label: name }))}
								onChange={({ target }) => setChosen(target.value)}
							/>
						)}
					</span>
				)
			}
		>
			{history === undefined ? (
				<Empty>No query with snapshots has it.</Empty>
			) : (
				<HistoryLanes key={history.saved_query.id} object={object} queryId={history.saved_query.id} />
			)}
		</Panel>
	);
}

function HistoryLanes({ object, queryId }: { object: ObjectAnswer; queryId: string }) {
	const { dn, connection, changes } = object;
	const timeline = useAnswer(timeMachineRoutes.timeline, {
		query: { saved_query_id: queryId, controller_connection_id: connection.id, dn, limit: String(SNAPSHOTS) },
	});
	return (
		<Loaded answer={timeline} lines={4}>
			{(data) => <Lanes timeline={getOne(data)} most={null} findPersons={(tick) => findPersons(changes, tick)} />}
		</Loaded>
	);
}
