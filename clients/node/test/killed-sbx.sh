#!/bin/sh
# An sbx that dies at once, without a result.
kill -s KILL $$
