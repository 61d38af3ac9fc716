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
import { describeValue } from "./object-value.ts";

const LINK = "rounded-cell text-accent-text hover:underline";

export function Surroundings({ object }: { object: ObjectAnswer }) {
	const { connection, dn, parent, children, relations, relations_total, checks, elsewhere, histories, truncated } =
		object;
	return (
		<div className="flex min-w-0 flex-col gap-3">
			<Panel title="Parent and children">
				{parent === null && children.length === 0 && (
					<Nothing>No snapshot has its parent or an object below it.</Nothing>
				)}
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
					<Line
						key={`${own} ${direction}`}
						note={direction === "out" ? `${class_name} leads there` : `${class_name} leads here`}
					>
						<ObjectLink dn={other_dn} connection={connection.id} />
					</Line>
				))}
			</Panel>
			<Panel
				title="Checks that found it"
				aside={
					truncated.includes("checks") && <span className="text-muted">the first {formatCount(checks.length)}</span>
				}
			>
				{checks.length === 0 && <Nothing>No check holds it among its evidence.</Nothing>}
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
			<Panel
				title="In the other fabrics"
				aside={
					truncated.includes("elsewhere") && (
						<span className="text-muted">the first {formatPlural(elsewhere.length, "fabric")}</span>
					)
				}
			>
				{elsewhere.length === 0 && <Nothing>No other fabric has an object of this name in its snapshots.</Nothing>}
				{elsewhere.map(({ connection: other, dn: there, equal, differences }) => (
					<div key={`${other.id} ${there}`} className="border-line border-b px-3 py-1.5 last:border-b-0">
						<span className="flex flex-wrap items-center gap-2">
							<span className="font-medium">{other.name}</span>
							<Pill tone={equal ? "ok" : "warn"} icon={equal ? CircleCheck : Diff}>
								{equal ? "equal" : formatPlural(differences.length, "attribute differs", "attributes differ")}
							</Pill>
						</span>
						<ObjectLink dn={there} connection={other.id} />
						{!equal && <Differences here={connection.name} there={other.name} differences={differences} />}
					</div>
				))}
			</Panel>
			<Panel
				title="Histories"
				aside={
					truncated.includes("histories") && (
						<span className="text-muted">the newest {formatCount(histories.length)}</span>
					)
				}
			>
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

interface DifferencesProps extends Pick<ObjectAnswer["elsewhere"][number], "differences"> {
	/** Names of the two fabrics. */
	readonly here: string;
	readonly there: string;
}

/** One line for each attribute that differs, with the values of both fabrics. */
function Differences({ here, there, differences }: DifferencesProps) {
	return (
		<div className="mt-1 overflow-x-auto">
			<table className="w-full table-fixed border-collapse text-left text-xs" aria-label={`${here} and ${there}`}>
				<thead className="text-muted">
					<tr>
						{["Attribute", here, there].map((head) => (
							<th key={head} scope="col" className="truncate pr-2 font-normal" title={head}>
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody className="mono align-top">
					{differences.map(({ name, here: own, there: other }) => (
						<tr key={name}>
							<th scope="row" className="truncate pr-2 font-normal text-muted" title={name}>
								{name}
							</th>
							<td className="pr-2 [overflow-wrap:anywhere]">{describeValue(own)}</td>
							<td className="[overflow-wrap:anywhere]">{describeValue(other)}</td>
						</tr>
					))}
				</tbody>
			</table>
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
