/** The contracts of all routes and channels, with their schemas and constants. */
export * from "@weft/contracts";
