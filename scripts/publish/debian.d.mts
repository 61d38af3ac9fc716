/** Makes a folder or an archive with the packages that Debian needs, and others. */
export function makeDebian(target: string, packages: readonly string[]): void;
/** The folder of the npm of the path. */
export function findNpmFolder(): string;
