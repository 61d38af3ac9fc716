/** Capabilities by area: as a list to read, and as boxes to choose. */
import type { Permission } from "@weft/contracts";
import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { CAPABILITIES, type Capability, listCapabilities, listPermissionIds } from "./capabilities.ts";

function Areas({ label, render }: { readonly label: string; render(capability: Capability): ReactNode }) {
	return (
		<section aria-label={label} className="grid gap-x-6 gap-y-3 p-3 sm:grid-cols-2">
			{[...Map.groupBy(CAPABILITIES, ({ area }) => area)].map(([area, lines]) => (
				<div key={area}>
					<h3 className="m-0 pb-1 font-semibold">{area}</h3>
					<ul className="m-0 flex list-none flex-col gap-1 p-0">
						{lines.map((line) => (
							<li key={line.text}>{render(line)}</li>
						))}
					</ul>
				</div>
			))}
		</section>
	);
}

interface CapabilityListProps {
	readonly label: string;
	/** Codenames of the permissions that are held. */
	readonly held: ReadonlySet<string>;
	/** Names what gives a line; null: nothing to add. */
	nameSource(capability: Capability): string | null;
}

export function CapabilityList({ label, held, nameSource }: CapabilityListProps) {
	const allowed = new Set(listCapabilities(held));
	return (
		<Areas
			label={label}
			render={(line) => {
				const source = allowed.has(line) ? nameSource(line) : null;
				return (
					<span className={allowed.has(line) ? "flex gap-1.5" : "flex gap-1.5 text-muted"}>
						{allowed.has(line) ? (
							<Check size={15} className="mt-0.5 shrink-0 text-ok" role="img" aria-label="Yes" />
						) : (
							<Minus size={15} className="mt-0.5 shrink-0" role="img" aria-label="No" />
						)}
						<span>
							{line.text}
							{source !== null && <span className="text-muted"> (from {source})</span>}
						</span>
					</span>
				);
			}}
		/>
	);
}

interface CapabilityFieldsProps {
	readonly permissions: readonly Permission[];
	readonly chosen: ReadonlySet<number>;
	readonly readOnly: boolean;
	onChange(chosen: ReadonlySet<number>): void;
}

/** A box per capability, which is neither on nor off where only a part of its codenames is held. */
export function CapabilityFields({ permissions, chosen, readOnly, onChange }: CapabilityFieldsProps) {
	return (
		<Areas
			label="Rights of members"
			render={(line) => {
				const ids = listPermissionIds(line, permissions);
				const count = ids.filter((id) => chosen.has(id)).length;
				return (
					<label className="flex items-start gap-1.5">
						<input
							type="checkbox"
							className="m-0 mt-0.5 size-4 shrink-0"
							checked={ids.length > 0 && count === ids.length}
							ref={(box) => {
								if (box) box.indeterminate = count > 0 && count < ids.length;
							}}
							disabled={readOnly}
							onChange={(event) => {
								const next = new Set(chosen);
								for (const id of ids) {
									if (event.target.checked) next.add(id);
									else next.delete(id);
								}
								onChange(next);
							}}
						/>
						{line.text}
					</label>
				);
			}}
		/>
	);
}

/** The part of a panel that holds every single permission, closed at first. */
export const Advanced = ({ count, children }: { readonly count: string; readonly children: ReactNode }) => (
	<details className="border-line border-t">
		<summary className="cursor-pointer px-3 py-2 font-medium text-muted hover:text-fg">Advanced: {count}</summary>
		{children}
	</details>
);
