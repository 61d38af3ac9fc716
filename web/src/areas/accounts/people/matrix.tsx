/** Permissions as a table: a line per kind of object, a column per verb. */
import type { Permission } from "@weft/contracts";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { formatModel, formatVerb, isUsualVerb, VERBS } from "./words.ts";

interface MatrixProps {
	readonly label: string;
	readonly permissions: readonly Permission[];
	/** Content of the cell of a permission. */
	cell(permission: Permission): ReactNode;
}

export function PermissionMatrix({ label, permissions, cell }: MatrixProps) {
	const models = [...Map.groupBy(permissions, ({ model }) => model)].sort(([a], [b]) =>
		formatModel(a).localeCompare(formatModel(b)),
	);
	const head = "h-7 border-line border-b px-3 font-normal text-muted";
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
		<section className="relative overflow-x-auto" tabIndex={0} aria-label={label}>
			<table className="w-full border-collapse text-left">
				<thead>
					<tr>
						<th scope="col" className={head}>
							Object
						</th>
						{VERBS.map((verb) => (
							<th key={verb} scope="col" className={`${head} capitalize`}>
								{verb}
							</th>
						))}
						<th scope="col" className={head}>
							Other
						</th>
					</tr>
				</thead>
				<tbody>
					{models.map(([model, list]) => (
						<tr key={model} className="border-line border-b last:border-b-0 hover:bg-sunken">
							<th scope="row" className="h-(--row) whitespace-nowrap px-3 font-normal">
								{formatModel(model)}
							</th>
							{VERBS.map((verb) => {
								const found = list.find((each) => formatVerb(each) === verb);
								return (
									<td key={verb} className="h-(--row) px-3">
										{found && cell(found)}
									</td>
								);
							})}
							<td className="h-(--row) px-3">
								<span className="flex flex-wrap items-center gap-x-3">
									{list
										.filter((each) => !isUsualVerb(formatVerb(each)))
										.map((each) => (
											<span key={each.id} className="inline-flex items-center gap-1">
												{cell(each)}
												<span className="text-muted text-xs">{formatVerb(each)}</span>
											</span>
										))}
								</span>
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

interface EditProps {
	readonly label: string;
	readonly permissions: readonly Permission[];
	readonly chosen: ReadonlySet<number>;
	readonly readOnly: boolean;
	onChange(chosen: ReadonlySet<number>): void;
}

export function EditablePermissions({ label, permissions, chosen, readOnly, onChange }: EditProps) {
	const toggle = (id: number) => {
		const next = new Set(chosen);
		if (!next.delete(id)) next.add(id);
		onChange(next);
	};
	return (
		<PermissionMatrix
			label={label}
			permissions={permissions}
			cell={({ id, name, is_dangerous }) => (
				<span className="inline-flex items-center gap-1">
					<input
						type="checkbox"
						aria-label={is_dangerous ? `${name} (dangerous)` : name}
						title={name}
						className="m-0 size-4 align-middle"
						checked={chosen.has(id)}
						disabled={readOnly}
						onChange={() => toggle(id)}
					/>
					{is_dangerous && (
						<TriangleAlert size={12} className="text-warn" aria-hidden="true">
							<title>Dangerous</title>
						</TriangleAlert>
					)}
				</span>
			)}
		/>
	);
}
