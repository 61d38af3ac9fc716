/** Attributes of an object by kind, each kind in a part that opens and closes. */
import type { AttributeKind, ObjectAnswer } from "@weft/contracts";
import { ATTRIBUTE_KINDS } from "@weft/contracts/browser";
import { CopyButton } from "../../../ui/copy.tsx";
import { ValueLink } from "../../../ui/object-link.tsx";
import { Empty, Panel } from "../../../ui/page.tsx";
import { formatObjectValue } from "./object-value.ts";

const TITLES: Readonly<Record<AttributeKind, string>> = {
	naming: "Names",
	configurable: "Configuration",
	operational: "State",
	identity: "Ids",
	time: "Times",
};
/** Kinds that are open at first. */
const OPEN: ReadonlySet<AttributeKind> = new Set(["naming", "configurable", "operational"]);

export function AttributeGroups({ object: { attributes, connection } }: { object: ObjectAnswer }) {
	const groups = ATTRIBUTE_KINDS.map((kind) => {
		const own = attributes.filter((attribute) => attribute.kind === kind);
		// Those without a value say little: they stand last.
		const isEmpty = ({ value }: (typeof own)[number]) => value === "" || value === null;
		return { kind, own: [...own.filter((each) => !isEmpty(each)), ...own.filter(isEmpty)] };
	}).filter(({ own }) => own.length > 0);
	return (
		<Panel title="Attributes">
			{groups.length === 0 && <Empty>The object has no attributes.</Empty>}
			{groups.map(({ kind, own }) => (
				<details key={kind} open={OPEN.has(kind)} className="border-line border-b last:border-b-0">
					<summary className="cursor-pointer bg-sunken px-3 py-1.5 font-medium">
						{TITLES[kind]} <span className="num text-muted">{own.length}</span>
					</summary>
					<dl className="m-0 px-3">
						{own.map(({ name, value }) => {
							const text = formatObjectValue(value);
							return (
								<div
									key={name}
									className="grid grid-cols-[minmax(110px,32%)_minmax(0,1fr)] items-start gap-2 border-line border-b py-1 last:border-b-0"
								>
									<dt className="mono text-muted [overflow-wrap:anywhere]" title={name}>
										{name}
									</dt>
									<dd className="mono m-0 flex min-w-0 items-start gap-2">
										<span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
											{text === "" ? (
												<i className="text-muted">(empty)</i>
											) : name === "dn" ? (
												text
											) : (
												<ValueLink name={name} text={text} connection={connection.id} />
											)}
										</span>
										{text !== "" && <CopyButton text={text} label={`Copy ${name}`} />}
									</dd>
								</div>
							);
						})}
					</dl>
				</details>
			))}
		</Panel>
	);
}
