/** What stands around an object: parent, children, relations, checks, other fabrics, histories. */
import { Link } from "@tanstack/react-router";
import type { ObjectAnswer } from "@weft/contracts";
import { CircleCheck, Diff } from "lucide-react";
import type { ReactNode } from "react";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { ObjectLink } from "../../../ui/object-link.tsx";
import { Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { CheckState, Severity } from "../../checks/words.tsx";

const LINK = "rounded-cell text-accent-text hover:underline";

export function Surroundings({ object }: { object: ObjectAnswer }) {
	const { connection, dn, parent, children, relations, relations_total, checks, elsewhere, histories } = object;
	return (
		<div className="flex min-w-0 flex-col gap-3">
			<Panel title="Parent and children">
				{parent === null && children.length === 0 && <Nothing>Neither is known.</Nothing>}
				{parent && (
					<Line note={parent.class_name ?? "parent"}>
						<ObjectLink dn={parent.dn} connection={connection.id} />
					</Line>
				)}
				{children.map(({ class_name, count }) => (
					<Line key={class_name} note="below it">
						<Link to="/find" search={{ q: `${dn}/`, connection: connection.id }} className={LINK}>
							{formatCount(count)} <span className="mono">{class_name}</span>
						</Link>
					</Line>
				))}
			</Panel>
			<Panel
				title="Relations"
				aside={
					relations.length < relations_total && (
						<span className="text-muted">
							the first {formatCount(relations.length)} of {formatCount(relations_total)}
						</span>
					)
				}
			>
				{relations.length === 0 && <Nothing>No snapshot has a relation of this object.</Nothing>}
				{relations.map(({ dn: own, class_name, other_dn, direction }) => (
					<Line key={`${own} ${direction}`} note={`${direction === "out" ? "to, by" : "from, by"} ${class_name}`}>
						<ObjectLink dn={other_dn} connection={connection.id} />
					</Line>
				))}
			</Panel>
			<Panel title="Checks that found it">
				{checks.length === 0 && <Nothing>No check has it among its evidence.</Nothing>}
				{checks.map(({ id, name, state, severity }) => (
					<div key={id} className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5 last:border-b-0">
						<Link to="/checks/$id" params={{ id }} className={LINK}>
							{name}
						</Link>
						<CheckState state={state} />
						<Severity severity={severity} />
					</div>
				))}
			</Panel>
			<Panel title="In the other fabrics">
				{elsewhere.length === 0 && <Nothing>No other fabric has an object of this name in its snapshots.</Nothing>}
				{elsewhere.map(({ connection: other, dn: there, equal, differing }) => (
					<div key={`${other.id} ${there}`} className="border-line border-b px-3 py-1.5 last:border-b-0">
						<span className="flex flex-wrap items-center gap-2">
							<span className="font-medium">{other.name}</span>
							<Pill tone={equal ? "ok" : "warn"} icon={equal ? CircleCheck : Diff}>
								{equal ? "equal" : formatPlural(differing.length, "attribute differs", "attributes differ")}
							</Pill>
							{!equal && <span className="mono text-muted [overflow-wrap:anywhere]">{differing.join(", ")}</span>}
						</span>
						<ObjectLink dn={there} connection={other.id} />
					</div>
				))}
			</Panel>
			<Panel title="Histories">
				{histories.length === 0 && <Nothing>No query with snapshots has it.</Nothing>}
				{histories.map(({ saved_query: { id, name }, snapshots }) => (
					<Line key={id} note={formatPlural(snapshots, "snapshot")}>
						<Link to="/time-machine/track" search={{ query: id, dn, controller: connection.id }} className={LINK}>
							{name}
						</Link>
					</Line>
				))}
			</Panel>
		</div>
	);
}

const Nothing = ({ children }: { children: ReactNode }) => <p className="m-0 px-3 py-2 text-muted">{children}</p>;

function Line({ note, children }: { note: string; children: ReactNode }) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0">
			<span className="min-w-0">{children}</span>
			<span className="mono shrink-0 text-muted text-xs">{note}</span>
		</div>
	);
}
